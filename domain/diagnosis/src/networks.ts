/** Compares IPv4 addresses with the network of a machine. */
import type { Hardware } from '@tinkerbell/resources';

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
  return networkOf(other, netmask) === networkOf(address, netmask);
}

function networkOf(address: string, netmask: string): string {
  const bytes = (text: string) => text.split('.').map(Number);
  const mask = bytes(netmask);
  return bytes(address)
    .map((byte, at) => byte & (mask[at] ?? 255))
    .join('.');
}
