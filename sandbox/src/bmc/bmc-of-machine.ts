/** Gives a virtual machine a BMC on loopback, and the objects by which a server controls it. */
import { nodeIpmiCrypto } from '@tinkerbell/engine-bmc';
import { cipherSuites } from '@tinkerbell/ipmi';
import { nodeClock, nodeRandom, nodeUdp } from '@tinkerbell/platform-node';
import { isRecord } from '@tinkerbell/yaml/json';
import type { ApiObject } from '../api-client.ts';
import type { Machine } from '../qemu-machine.ts';
import { IpmiResponder } from './ipmi-responder.ts';
import { controlledMachine } from './machine-with-bmc.ts';

export interface MachineBmc extends AsyncDisposable {
  /** A Secret and a Machine. */
  readonly objects: readonly ApiObject[];
  /** The chassis operations that the BMC has performed, in order. */
  readonly operations: readonly string[];
  /** The Hardware with this BMC. */
  ofHardware(hardware: ApiObject): ApiObject;
}

const PASSWORD = 'sandbox-bmc';
const GUID_BYTES = 16;
const ADMINISTRATOR = 4;

/** The machine must have been created with `bootOrder: 'disk'`, so that only its BMC can make it boot from the network. */
export async function openBmcOf(machine: Machine): Promise<MachineBmc> {
  const controlled = controlledMachine(machine);
  const settings = {
    accounts: [{ username: 'admin', password: PASSWORD, privilege: ADMINISTRATOR }],
    guid: nodeRandom.bytes(GUID_BYTES),
    suites: cipherSuites,
  };
  const deps = { udp: nodeUdp, clock: nodeClock, random: nodeRandom, crypto: nodeIpmiCrypto };
  const responder = await IpmiResponder.open(deps, { settings, machine: controlled });
  const name = `${machine.name}-bmc`;
  return {
    objects: objectsFor(name, responder.port),
    operations: controlled.operations,
    ofHardware: (hardware) => ({
      ...hardware,
      spec: { ...fieldsOf(hardware), bmcRef: { apiGroup: 'bmc.tinkerbell.org', kind: 'Machine', name } },
    }),
    [Symbol.asyncDispose]: () => responder[Symbol.asyncDispose](),
  };
}

/** The Workflow whose machine is powered on by its BMC and boots from the network once. */
export function bootedByBmc(workflow: ApiObject): ApiObject {
  const bootOptions = { bootMode: 'netboot', toggleAllowNetboot: true };
  return { ...workflow, spec: { ...fieldsOf(workflow), bootOptions } };
}

function fieldsOf({ spec }: ApiObject): Record<string, unknown> {
  return isRecord(spec) ? spec : {};
}

function objectsFor(name: string, port: number): readonly ApiObject[] {
  const metadata = { name, namespace: 'default' };
  const connection = {
    host: '127.0.0.1',
    insecureTLS: true,
    authSecretRef: metadata,
    providerOptions: { ipmitool: { port } },
  };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { username: 'admin', password: PASSWORD } },
    { apiVersion: 'bmc.tinkerbell.org/v1alpha1', kind: 'Machine', metadata, spec: { connection } },
  ];
}
