/** The objects of a machine of the lab. */
import { isArm, serialConsoleArguments, type ApiObject, type Firmware } from '@tinkerbell/sandbox';
import { serverAddress } from '../bare-machine.ts';
import type { ActionStep, CaseObjects } from './action-case.ts';

export interface LabMachine {
  readonly name: string;
  /** The last number of MAC and address. */
  readonly number: number;
  readonly firmware: Firmware;
  /** `metadata.instance.storage`, which rootio reads. */
  readonly storage?: object;
  /** Default: one of the site's own network. */
  readonly ip?: { readonly address: string; readonly netmask: string; readonly gateway: string };
}

const GLOBAL_TIMEOUT_SECONDS = 1800;
const API_VERSION = 'tinkerbell.org/v1alpha1';
const NAMESPACE = 'default';

/** The registry, the images and the metadata of the site. */
export const SERVER = `${serverAddress}:7080`;

export function macOf(number: number): string {
  return `08:00:27:00:56:${number.toString(16).padStart(2, '0')}`;
}

export function objectsFor(machine: LabMachine, steps: readonly ActionStep[]): CaseObjects {
  const { name } = machine;
  const mac = macOf(machine.number);
  const tasks = [{ name: 'actions', worker: mac, actions: steps }];
  // JSON is YAML.
  const data = JSON.stringify({ version: '0.1', name, global_timeout: GLOBAL_TIMEOUT_SECONDS, tasks });
  return {
    hardware: hardwareFor(machine),
    template: {
      apiVersion: API_VERSION,
      kind: 'Template',
      metadata: { name, namespace: NAMESPACE },
      spec: { data },
    },
    workflow: {
      apiVersion: API_VERSION,
      kind: 'Workflow',
      metadata: { name, namespace: NAMESPACE },
      spec: { templateRef: name, hardwareRef: name, hardwareMap: { device_1: mac } },
    },
  };
}

function hardwareFor({ name, number, firmware, storage, ip: ofCase }: LabMachine): ApiObject {
  const mac = macOf(number);
  const ip = ofCase ?? {
    address: `192.168.56.${number}`,
    netmask: '255.255.255.0',
    // A packet for another network then reaches the bridge, and is counted.
    gateway: serverAddress,
  };
  return {
    apiVersion: API_VERSION,
    kind: 'Hardware',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      agentID: mac,
      disks: [{ device: '/dev/vda' }],
      metadata: { instance: { id: mac, hostname: name, ...(storage === undefined ? {} : { storage }) } },
      interfaces: [
        {
          dhcp: {
            mac,
            arch: isArm(firmware) ? 'aarch64' : 'x86_64',
            lease_time: 3600,
            hostname: name,
            ip,
            name_servers: [serverAddress],
          },
          netboot: {
            allowPXE: true,
            allowWorkflow: true,
            osie: { kernelParams: serialConsoleArguments(firmware) },
          },
        },
      ],
    },
  };
}
