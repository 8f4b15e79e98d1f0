/** Finds the addresses that lead to this machine, in every spelling that a resolver or a URL may use. */
import { networkInterfaces } from 'node:os';
import {
  ipNetwork,
  ipNetworkContains,
  ipv4Within,
  parseIpAddress,
  parseIpNetwork,
  type IpAddress,
} from '@tinkerbell/wire';

/** Loopback and the unspecified address. */
const ALWAYS_OWN = [ipNetwork('127.0.0.0/8'), ipNetwork('0.0.0.0/8'), ipNetwork('::1')];
/** IPv6 addresses that end in an IPv4 address and lead to it: IPv4-compatible (RFC 4291 section 2.5.5) and NAT64 (RFC 6052). */
const ENDING_IN_IPV4 = [ipNetwork('::/96'), ipNetwork('64:ff9b::/96')];
/** 6to4: the IPv4 address follows the first 16 bits (RFC 3056). */
const SIX_TO_FOUR = ipNetwork('2002::/16');

/**
 * Returns whether a connection to this address ends at this machine: loopback, the unspecified address, or one of its network
 * interfaces, also as IPv4 embedded in IPv6 (mapped, compatible, NAT64 and 6to4).
 */
export function isOwnAddress(address: string, interfaces = networkInterfaces()): boolean {
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return false;
  const own = Object.values(interfaces).flatMap((each) =>
    (each ?? []).flatMap((one) => parseIpNetwork(one.address) ?? []),
  );
  return spellingsOf(parsed).some((one) =>
    [...ALWAYS_OWN, ...own].some((network) => ipNetworkContains(network, one)),
  );
}

/** Returns the address itself, and the IPv4 address that it leads to. */
function spellingsOf(address: IpAddress): readonly IpAddress[] {
  if (address.bits === 32) return [address];
  if (ENDING_IN_IPV4.some((network) => ipNetworkContains(network, address)))
    return [address, ipv4Within(address.value)];
  if (ipNetworkContains(SIX_TO_FOUR, address)) return [address, ipv4Within(address.value >> 80n)];
  return [address];
}
