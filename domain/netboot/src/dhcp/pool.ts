import { linkAddressOf, type DhcpPacket } from '@tinkerbell/dhcp';
import { IPV4_ANY, ipv4ToNumber, netmaskOf, networkAddress, type Ipv4 } from '@tinkerbell/wire';
import type { Arrival } from './arrival.ts';

/** Addresses of one network for machines that have none of their own, and what goes with them. */
export interface AddressPool {
  readonly first: Ipv4;
  /** Inclusive. */
  readonly last: Ipv4;
  /** Of the network that both lie in. */
  readonly prefixLength: number;
  readonly gateway?: Ipv4;
  readonly nameServers: readonly Ipv4[];
  readonly leaseTimeSeconds: number;
}

export interface LinkQuestion {
  readonly request: DhcpPacket;
  readonly arrival?: Arrival | undefined;
  /** Says which network it is where nothing else does. */
  readonly serverAddress: Ipv4;
}

/**
 * The pool of the network a client is in: told by link selection, subnet selection or the relay; else by the address the
 * client uses; else by our addresses on the network interface, or the one we serve under.
 */
export function poolFor(pools: readonly AddressPool[], question: LinkQuestion): AddressPool | undefined {
  const { request, arrival, serverAddress } = question;
  const link = linkAddressOf(request) ?? (request.ciaddr === IPV4_ANY ? undefined : request.ciaddr);
  if (link !== undefined) return pools.find((pool) => isInNetwork(pool, link));
  const local = arrival?.localAddresses ?? [];
  const ours = local.length === 0 ? [serverAddress] : local;
  return pools.find((pool) => ours.some((address) => isInNetwork(pool, address)));
}

export function isInPool({ first, last }: AddressPool, address: Ipv4): boolean {
  const number = ipv4ToNumber(address);
  return number >= ipv4ToNumber(first) && number <= ipv4ToNumber(last);
}

function isInNetwork({ first, prefixLength }: AddressPool, address: Ipv4): boolean {
  const netmask = netmaskOf(prefixLength);
  return networkAddress(first, netmask) === networkAddress(address, netmask);
}
