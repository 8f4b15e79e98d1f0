/** The objects of a simulated site: a Template, and a Hardware and a Workflow for each machine. */
import type { Resource } from '@tinkerbell/resources';
import type { Write } from '@tinkerbell/store-contract';
import { addressOf, macOf, SERVER_ADDRESS } from './addresses.ts';

const API = 'tinkerbell.org/v1alpha1';
export const NAMESPACE = 'default';

/** Three actions. After the last one the machine restarts. */
const TEMPLATE = `version: "0.1"
name: install
global_timeout: 86400
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions:
      - name: image
        image: example.org/image2disk
        timeout: 7200
      - name: configure
        image: example.org/writefile
        timeout: 7200
      - name: reboot
        image: example.org/reboot
        timeout: 7200
`;

export function siteWrites(machines: number): readonly Write[] {
  const template = { apiVersion: API, kind: 'Template', spec: { data: TEMPLATE } };
  const writes: Write[] = [created('templates', 'install', template)];
  for (let index = 0; index < machines; index += 1) {
    const name = machineName(index);
    writes.push(created('hardware', name, hardware(index)), created('workflows', name, workflow(index)));
  }
  return writes;
}

export function machineName(index: number): string {
  return `machine-${index}`;
}

function created(plural: string, name: string, fields: Omit<Resource, 'metadata'>): Write {
  const key = { collection: `${plural}.tinkerbell.org`, namespace: NAMESPACE, name };
  const metadata = { name, namespace: NAMESPACE, uid: `uid-of-${plural}-${name}`, generation: 1 };
  return { operation: 'create', key, object: { ...fields, metadata } };
}

function hardware(index: number) {
  const mac = macOf(index);
  const ip = { address: addressOf(index), netmask: '255.255.0.0', gateway: SERVER_ADDRESS };
  const dhcp = { mac, hostname: machineName(index), arch: 'x86_64', lease_time: 86_400, ip };
  return {
    apiVersion: API,
    kind: 'Hardware',
    spec: {
      agentID: mac,
      interfaces: [{ dhcp, netboot: { allowPXE: true, allowWorkflow: true } }],
    },
  };
}

function workflow(index: number) {
  return {
    apiVersion: API,
    kind: 'Workflow',
    spec: {
      templateRef: 'install',
      hardwareRef: machineName(index),
      hardwareMap: { device_1: macOf(index) },
    },
  };
}
