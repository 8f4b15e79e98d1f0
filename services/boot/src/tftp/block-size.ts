import type { NetworkInterface } from '@tinkerbell/platform-contract';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { networkAddress, parseIpv4, type Ipv4 } from '@tinkerbell/wire';

/** IPv4 header 20, UDP header 8, TFTP header 4. */
const HEADER_BYTES = 32;
/** RFC 2348. */
const BLOCK_SIZE_BYTES = { min: 512, max: 65_464 } as const;

/**
 * Returns the largest block that reaches a client in one packet, by the MTU of the network interface whose subnet has the client.
 * For clients behind a router, and where the MTU is unknown, it is the size that fits Ethernet: no boot ROM reassembles IP
 * fragments.
 */
export function blockSizeBytesMaxFor(client: string, networkInterfaces: readonly NetworkInterface[]): number {
  const address = parseIpv4(client);
  const own = networkInterfaces.find((each) => address !== undefined && isBeside(address, each));
  const mtuBytes = own?.mtuBytes;
  if (mtuBytes === undefined) return defaultTransferLimits.blockSizeBytesMax;
  return Math.min(Math.max(mtuBytes - HEADER_BYTES, BLOCK_SIZE_BYTES.min), BLOCK_SIZE_BYTES.max);
}

function isBeside(client: Ipv4, networkInterface: NetworkInterface): boolean {
  const own = parseIpv4(networkInterface.address);
  const netmask = parseIpv4(networkInterface.netmask);
  if (own === undefined || netmask === undefined) return false;
  return networkAddress(own, netmask) === networkAddress(client, netmask);
}
