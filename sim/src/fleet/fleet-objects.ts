/** The objects of a fleet in the API. All have one label, by which they are found and removed. */
import type { Hardware, Template, Workflow } from '@tinkerbell/resources';
import type { FleetOptions } from './fleet-options.ts';
import { runName, type MachinePlan } from './machine-plan.ts';

/** Its value names the run. */
export const FLEET_LABEL = 'tinkerbell.org/simulation';

type Site = Pick<FleetOptions, 'seed' | 'namespace' | 'relayAddress' | 'actions'>;

const API = { apiVersion: 'tinkerbell.org/v1alpha1' } as const;
/** Of one action and of all, seconds. The machines have their own time limit. */
const ACTION_SECONDS_MAX = 3600;

export function fleetSelector(seed: number): string {
  return `${FLEET_LABEL}=${runName(seed)}`;
}

export function hardwareOf({ name, mac, address }: MachinePlan, site: Site): Hardware {
  const ip = { address, netmask: '255.0.0.0', gateway: site.relayAddress };
  const dhcp = { mac, hostname: name, arch: 'x86_64', lease_time: 86_400, ip };
  return {
    ...API,
    kind: 'Hardware',
    metadata: metadata(name, site),
    spec: { agentID: mac, interfaces: [{ dhcp, netboot: { allowPXE: true, allowWorkflow: true } }] },
  };
}

/** After the last action the machine restarts. */
export function templateOf(site: Site): Template {
  const actions = Array.from({ length: site.actions }, (_, index) => {
    const name = index === site.actions - 1 ? 'reboot' : `action-${index + 1}`;
    return `      - name: ${name}\n        image: example.org/${name}\n        timeout: ${ACTION_SECONDS_MAX}\n`;
  });
  const name = runName(site.seed);
  const data = `version: "0.1"
name: ${name}
global_timeout: ${ACTION_SECONDS_MAX * site.actions}
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions:
${actions.join('')}`;
  return { ...API, kind: 'Template', metadata: metadata(name, site), spec: { data } };
}

export function workflowOf({ name, mac }: MachinePlan, site: Site): Workflow {
  return {
    ...API,
    kind: 'Workflow',
    metadata: metadata(name, site),
    spec: { templateRef: runName(site.seed), hardwareRef: name, hardwareMap: { device_1: mac } },
  };
}

function metadata(name: string, { namespace, seed }: Site) {
  return { name, namespace, labels: { [FLEET_LABEL]: runName(seed) } };
}
