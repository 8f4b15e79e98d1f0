import { IPV4_ANY, networkContains, type Ipv4, type Ipv4Network, type Mac } from '@tinkerbell/wire';
import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { Arrival } from './arrival.ts';
import type { NetbootClient } from './client.ts';
import type { IgnoreReason } from './reasons.ts';

/**
 * The clients that a proxy may answer in a network with another DHCP server. An empty list allows every client. Both lists must
 * allow the client.
 */
export interface ProxyAllowList {
  /** In the form that `parseMacPrefix` returns. */
  readonly macPrefixes: readonly string[];
  /** The networks of the relay, or else of the network interface on which the request arrived. */
  readonly subnets: readonly Ipv4Network[];
}

/** Parses one to six octets of a MAC, `52:54:00` or `52-54-00`, into the form of a Mac. Returns undefined for anything else. */
export function parseMacPrefix(text: string): string | undefined {
  const isPrefix = /^[0-9a-f]{2}(?:(?::[0-9a-f]{2}){0,5}|(?:-[0-9a-f]{2}){0,5})$/i.test(text);
  return isPrefix ? text.replaceAll('-', ':').toLowerCase() : undefined;
}

export interface NotAllowed {
  readonly reason: IgnoreReason;
  readonly message: string;
}

interface Asker {
  readonly request: DhcpPacket;
  readonly client: NetbootClient;
  readonly arrival?: Arrival;
}

/**
 * Returns the reason why the list forbids an answer, or undefined when it does not. A request from an unknown subnet is not
 * allowed.
 */
export function notAllowed(
  { macPrefixes, subnets }: ProxyAllowList,
  { request, client, arrival }: Asker,
): NotAllowed | undefined {
  if (macPrefixes.length > 0 && !hasPrefix(client.mac, macPrefixes)) {
    return { reason: 'mac-not-allowed', message: `the MAC ${client.mac ?? 'none'} has no allowed prefix` };
  }
  if (subnets.length === 0) return undefined;
  const isRelayed = request.giaddr !== IPV4_ANY;
  const addresses = isRelayed ? [request.giaddr] : (arrival?.localAddresses ?? []);
  if (addresses.length === 0) {
    const message = 'the subnet of the request is unknown; name the network interfaces to serve';
    return { reason: 'link-unknown', message };
  }
  return addresses.some((address) => isWithin(address, subnets))
    ? undefined
    : { reason: 'subnet-not-allowed', message: `${addresses.join(', ')} is in no allowed subnet` };
}

function hasPrefix(mac: Mac | undefined, prefixes: readonly string[]): boolean {
  return mac !== undefined && prefixes.some((prefix) => mac.startsWith(prefix));
}

function isWithin(address: Ipv4, networks: readonly Ipv4Network[]): boolean {
  return networks.some((network) => networkContains(network, address));
}
