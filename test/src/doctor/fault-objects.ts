/** The Hardware, the Template and the Workflow of a machine with a fault. */
import { serialConsoleArguments, type ApiObject } from '@tinkerbell/sandbox';
import type { MachineBmc } from '@tinkerbell/sandbox/bmc';
import type { Lab } from '../firmware/lab.ts';
import { templateData, type Fault } from './fault.ts';

const API_VERSION = 'tinkerbell.org/v1alpha1';

export interface MachineIdentity {
  readonly mac: string;
  readonly address: string;
  readonly lab: Lab;
}

export function hardwareFor(
  fault: Fault,
  { mac, address, lab }: MachineIdentity,
  more: readonly string[] = [],
): ApiObject {
  const { netboot, firmware, hasWrongMac, kernelArguments = [] } = fault;
  const network = address.replace(/\.\d+$/, '');
  const dhcp = {
    mac: hasWrongMac === true ? mac.replace(':66:', ':67:') : mac,
    arch: 'x86_64',
    lease_time: 3600,
    ip: { address, netmask: '255.255.255.0', gateway: `${network}.1` },
  };
  const kernelParams = [...serialConsoleArguments(firmware), ...kernelArguments, ...more];
  const allowed = { allowPXE: true, allowWorkflow: true, osie: { kernelParams } };
  return {
    apiVersion: API_VERSION,
    kind: 'Hardware',
    metadata: { name: 'machine', namespace: 'default' },
    spec: {
      interfaces: [{ dhcp, netboot: { ...allowed, ...withAddress(netboot, lab.serverAddress) } }],
    },
  };
}

function withAddress<Value>(value: Value, address: string): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll('SERVER', address));
}

/** Returns the Workflow and its Template, or nothing. */
export function workFor(
  { actions, isDisabled = false }: Fault,
  { mac, lab }: MachineIdentity,
  bmc: MachineBmc | undefined,
): readonly ApiObject[] {
  if (actions === undefined) return [];
  const data = templateData(actions.replaceAll('SERVER', lab.serverAddress));
  const bootOptions = bmc === undefined ? {} : { bootMode: 'netboot', toggleAllowNetboot: true };
  const hardware = { hardwareRef: 'machine', hardwareMap: { device_1: mac } };
  return [
    {
      ...own('Workflow', 'work'),
      spec: { templateRef: 'work', ...hardware, disabled: isDisabled, bootOptions },
    },
    { ...own('Template', 'work'), spec: { data } },
  ];
}

function own(kind: string, name: string): Pick<ApiObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace: 'default' } };
}
