/** Compares IPv4 addresses with the network of a machine. */
import type { Hardware } from '@tinkerbell/resources';
import { networkAddress, parseIpv4 } from '@tinkerbell/wire';

export interface AddressInNetwork {
  readonly address: string;
  readonly netmask: string;
}

/** Returns the first address that the Hardware assigns, with its netmask. */
export function addressOf(hardware: Hardware | undefined): AddressInNetwork | undefined {
  const ip = hardware?.spec?.interfaces?.find(({ dhcp }) => dhcp?.ip?.address !== undefined)?.dhcp?.ip;
  if (ip?.address === undefined || ip.netmask === undefined) return undefined;
  return { address: ip.address, netmask: ip.netmask };
}

export function isInNetwork(other: string, { address, netmask }: AddressInNetwork): boolean {
  const [mask, one, two] = [netmask, other, address].map(parseIpv4);
  if (mask === undefined || one === undefined || two === undefined) return false;
  return networkAddress(one, mask) === networkAddress(two, mask);
}

/** True if both have an IPv4 address, and that of `other` is in the network of `machine`. */
export function areNeighbours(machine: Hardware, other: Hardware): boolean {
  const [own, its] = [addressOf(machine), addressOf(other)];
  return own !== undefined && its !== undefined && isInNetwork(its.address, own);
}
