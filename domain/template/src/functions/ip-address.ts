import { parseIpv4, parseIpv6 } from '@tinkerbell/wire';

/** Returns true for an IPv4 address, or an IPv6 address without zone (Go's net.ParseIP). */
export function isIpAddress(address: string): boolean {
  return parseIpv4(address) !== undefined || isIpv6Address(address);
}

/** Matches an IPv6 address without zone. Its end may be written as IPv4. */
export function isIpv6Address(address: string): boolean {
  return parseIpv6(address) !== undefined;
}
