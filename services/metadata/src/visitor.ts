import { clientAddressOf, type ClientAddress } from '@tinkerbell/instance-metadata';
import type { HttpPeer, HttpRequest } from '@tinkerbell/platform-contract';
import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { isLoopback, parseMac, type IpNetwork, type Mac } from '@tinkerbell/wire';

export interface Machine {
  readonly hardware: Hardware;
  /** The name under which its timeline is kept. */
  readonly mac: Mac | undefined;
}

/** At most one machine is found: with several candidates the owner of the data would be unknown. */
export type MachineSearch =
  | { readonly ok: true; readonly machine: Machine }
  | { readonly ok: false; readonly outcome: 'machine-unknown' | 'machine-ambiguous' | 'view-not-ready' };

/** The sender of a request. */
export interface Visitor {
  readonly address: string;
  readonly origin: (ClientAddress & { ok: true })['origin'];
  /** The client is on this host, and not behind a proxy on it. */
  readonly isLocal: boolean;
  readonly search: MachineSearch;
}

export type Visit =
  | { readonly ok: true; readonly visitor: Visitor }
  | { readonly ok: false; readonly error: string };

/** The machine is the one Hardware with a network interface of the client's address. */
export function visitorOf(
  request: HttpRequest,
  peer: HttpPeer,
  { view, trustedProxies }: { readonly view: View; readonly trustedProxies: readonly IpNetwork[] },
): Visit {
  const sender = { peer: peer.address, forwardedFor: request.headers.get('x-forwarded-for') };
  const client = clientAddressOf(sender, trustedProxies);
  if (!client.ok) return client;
  const address = client.text;
  const isLocal = client.origin === 'socket' && isLoopback(client.address);
  const search = onlyOne(view, view.hardwareByIp(address), (hardware) => macAt(hardware, address));
  return { ok: true, visitor: { address, origin: client.origin, isLocal, search } };
}

export function machineWithMac(view: View, mac: Mac): MachineSearch {
  return onlyOne(view, view.hardwareByMac(mac), () => mac);
}

export function machineWithInstanceId(view: View, id: string): MachineSearch {
  return onlyOne(view, view.hardwareByInstanceId(id), (hardware) => parseMac(primaryMacOf(hardware) ?? ''));
}

export function isSameMachine(one: Machine, other: Machine): boolean {
  const [a, b] = [one.hardware.metadata, other.hardware.metadata];
  return a.namespace === b.namespace && a.name === b.name;
}

function onlyOne(
  view: View,
  found: readonly Hardware[],
  macOf: (hardware: Hardware) => Mac | undefined,
): MachineSearch {
  if (!view.ready()) return { ok: false, outcome: 'view-not-ready' };
  const hardware = found[0];
  if (hardware === undefined) return { ok: false, outcome: 'machine-unknown' };
  if (found.length > 1) return { ok: false, outcome: 'machine-ambiguous' };
  return { ok: true, machine: { hardware, mac: macOf(hardware) } };
}

function macAt({ spec }: Hardware, address: string): Mac | undefined {
  const networkInterface = spec?.interfaces?.find(({ dhcp }) => dhcp?.ip?.address === address);
  return parseMac(networkInterface?.dhcp?.mac ?? '');
}
