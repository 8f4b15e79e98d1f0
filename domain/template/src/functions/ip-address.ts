const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = new RegExp(`^(?:${OCTET}\\.){3}${OCTET}$`);

/** Says whether a text is an IPv4 address, or an IPv6 address without zone (Go's net.ParseIP). */
export function isIpAddress(address: string): boolean {
  return IPV4.test(address) || isIpv6Address(address);
}

/** An IPv6 address without zone; its end may be written as IPv4. */
export function isIpv6Address(address: string): boolean {
  const lastColon = address.lastIndexOf(':');
  const tail = address.slice(lastColon + 1);
  const plain = IPV4.test(tail) && lastColon >= 0 ? `${address.slice(0, lastColon + 1)}0:0` : address;
  const sides = plain.split('::');
  if (sides.length > 2) return false;
  const groups = sides.flatMap((side) => (side === '' ? [] : side.split(':')));
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return sides.length === 2 ? groups.length < 8 : groups.length === 8;
}
