/** Gives a virtual machine a BMC on loopback, and the objects by which a server controls it. */
import { dirname } from 'node:path';
import { nodeIpmiCrypto } from '@tinkerbell/engine-bmc';
import { cipherSuites } from '@tinkerbell/ipmi';
import { nodeClock, nodeRandom, nodeUdp } from '@tinkerbell/platform-node';
import { certify, ecdsaKey } from '@tinkerbell/platform-x509';
import { isRecord } from '@tinkerbell/yaml/json';
import type { ApiObject } from '../api-client.ts';
import type { Machine } from '../qemu-machine.ts';
import { AmtSimulator } from './amt-simulator.ts';
import type { IpmiLies } from './ipmi-lies.ts';
import { IpmiResponder } from './ipmi-responder.ts';
import { controlledMachine, type ControlledMachine } from './machine-with-bmc.ts';
import type { RedfishLies } from './redfish-lies.ts';
import { RedfishSimulator } from './redfish-simulator.ts';

export interface MachineBmc extends AsyncDisposable {
  /** A Secret and a Machine. */
  readonly objects: readonly ApiObject[];
  /** The chassis operations that the BMC has performed, in order. */
  readonly operations: readonly string[];
  /** May be changed at any time. Those of Redfish are undefined if the BMC has only IPMI. */
  readonly lies: { readonly ipmi: IpmiLies; readonly redfish: RedfishLies | undefined };
  /** The Hardware with this BMC. */
  ofHardware(hardware: ApiObject): ApiObject;
}

/** `redfish` has IPMI as well, for the serial console, as BMCs of servers do. `amt` is alone, as in a PC. */
export type BmcProtocol = 'ipmi' | 'redfish' | 'amt';

const ACCOUNT = { username: 'admin', password: 'sandbox-bmc' };
const LOOPBACK = '127.0.0.1';
const GUID_BYTES = 16;
const ADMINISTRATOR = 4;

/**
 * The machine must have been created with `bootOrder: 'disk'`, so that only its BMC can make it boot from another device. The BMC
 * listens on the address, an own one of this process.
 */
export async function openBmcOf(
  machine: Machine,
  protocol: BmcProtocol = 'ipmi',
  address: string = LOOPBACK,
): Promise<MachineBmc> {
  const controlled = controlledMachine(machine, dirname(machine.diskPath));
  const name = `${machine.name}-bmc`;
  const open = new AsyncDisposableStack();
  if (protocol === 'amt') {
    const amt = open.use(await AmtSimulator.open({ ...ACCOUNT, machine: controlled, address }));
    const providerOptions = { intelAMT: { port: amt.port }, preferredOrder: ['intelamt'] };
    const lies = { ipmi: {}, redfish: undefined };
    return { ...bmcWith(name, { address, providerOptions, controlled, open }), lies };
  }
  const ipmi = open.use(await openIpmi(controlled, address));
  const redfish = protocol === 'redfish' ? open.use(await openRedfish(controlled, address)) : undefined;
  const providerOptions = {
    ipmitool: { port: ipmi.port },
    ...(redfish === undefined ? {} : { redfish: { port: redfish.port } }),
    preferredOrder: redfish === undefined ? ['ipmitool'] : ['gofish', 'ipmitool'],
  };
  const lies = { ipmi: ipmi.lies, redfish: redfish?.lies };
  return { ...bmcWith(name, { address, providerOptions, controlled, open }), lies };
}

interface BmcParts {
  readonly address: string;
  readonly providerOptions: object;
  readonly controlled: ControlledMachine;
  readonly open: AsyncDisposableStack;
}

function bmcWith(
  name: string,
  { address, providerOptions, controlled, open }: BmcParts,
): Omit<MachineBmc, 'lies'> {
  return {
    objects: objectsFor(name, { host: address, providerOptions }),
    operations: controlled.operations,
    ofHardware: (hardware) => ({
      ...hardware,
      spec: { ...fieldsOf(hardware), bmcRef: { apiGroup: 'bmc.tinkerbell.org', kind: 'Machine', name } },
    }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function openIpmi(machine: ControlledMachine, address: string): Promise<IpmiResponder> {
  const settings = {
    accounts: [{ ...ACCOUNT, privilege: ADMINISTRATOR }],
    guid: nodeRandom.bytes(GUID_BYTES),
    suites: cipherSuites,
  };
  const deps = { udp: nodeUdp, clock: nodeClock, random: nodeRandom, crypto: nodeIpmiCrypto };
  return IpmiResponder.open(deps, { settings, machine, address });
}

function openRedfish(machine: ControlledMachine, address: string): Promise<RedfishSimulator> {
  const key = ecdsaKey('P-256');
  const names = { commonName: 'bmc', ips: [address], dnsNames: [] };
  const made = certify({ ...names, daysValid: 1, isAuthority: true, key }, nodeClock.nowMs());
  if (!made.ok) throw new Error(made.error);
  return RedfishSimulator.open({ ...ACCOUNT, machine, address, tls: { key, cert: made.certificate } });
}

/** The Workflow whose machine is powered on by its BMC and boots from the network once. */
export function bootedByBmc(workflow: ApiObject): ApiObject {
  return withBootOptions(workflow, { bootMode: 'netboot', toggleAllowNetboot: true });
}

/** The Workflow whose machine is powered on by its BMC and boots from the image once. */
export function bootedFromImage(workflow: ApiObject, isoURL: string): ApiObject {
  return withBootOptions(workflow, { bootMode: 'isoboot', isoURL });
}

/** The Workflow whose machine is powered on by its BMC, and whose UEFI firmware boots from the URL once. */
export function bootedFromUrl(workflow: ApiObject, httpBootURL: string): ApiObject {
  const preparingActions = [
    { powerAction: 'off' },
    { bootDevice: { device: 'http', httpBootURL } },
    { powerAction: 'on' },
  ];
  return withBootOptions(workflow, {
    bootMode: 'customboot',
    custombootConfig: { preparingActions },
    toggleAllowNetboot: true,
  });
}

function withBootOptions(workflow: ApiObject, bootOptions: object): ApiObject {
  return { ...workflow, spec: { ...fieldsOf(workflow), bootOptions } };
}

function fieldsOf({ spec }: ApiObject): Record<string, unknown> {
  return isRecord(spec) ? spec : {};
}

function objectsFor(
  name: string,
  options: { readonly host: string; readonly providerOptions: object },
): readonly ApiObject[] {
  const metadata = { name, namespace: 'default' };
  const connection = { ...options, insecureTLS: true, authSecretRef: metadata };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { ...ACCOUNT } },
    { apiVersion: 'bmc.tinkerbell.org/v1alpha1', kind: 'Machine', metadata, spec: { connection } },
  ];
}
