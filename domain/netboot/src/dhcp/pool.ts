import { linkAddressOf, type DhcpPacket } from '@tinkerbell/dhcp';
import { IPV4_ANY, ipv4ToNumber, netmaskOf, networkAddress, type Ipv4 } from '@tinkerbell/wire';
import type { Arrival } from './arrival.ts';

/** Addresses of one network for machines without a fixed address, and the settings that belong to them. */
export interface AddressPool {
  readonly first: Ipv4;
  /** Inclusive. */
  readonly last: Ipv4;
  /** The prefix length of the network that contains both addresses. */
  readonly prefixLength: number;
  readonly gateway?: Ipv4;
  readonly nameServers: readonly Ipv4[];
  readonly leaseTimeSeconds: number;
}

export interface LinkQuestion {
  readonly request: DhcpPacket;
  readonly arrival?: Arrival | undefined;
  /** Identifies the network when nothing else does. */
  readonly serverAddress: Ipv4;
}

/**
 * Returns the pool of the client's network. Link selection, subnet selection or the relay name the network. Otherwise it is the
 * network of the address that the client uses, or of the server's addresses on the network interface, or of the configured server
 * address.
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
