import { ipv4FromNumber, ipv4ToNumber, parseIpv4, type Ipv4 } from './ipv4.ts';

/** A network: its lowest address and the number of fixed leading bits (0 to 32). */
export interface Ipv4Network {
  readonly address: Ipv4;
  readonly prefixLength: number;
}

/** Parses `192.0.2.0/24`. Host bits are cleared, as in Go's net.ParseCIDR. Returns undefined when it is not CIDR notation. */
export function parseIpv4Network(text: string): Ipv4Network | undefined {
  const match = /^([\d.]+)\/(\d|[12]\d|3[0-2])$/.exec(text);
  const address = parseIpv4(match?.[1] ?? '');
  if (match === null || address === undefined) return undefined;
  const prefixLength = Number(match[2]);
  return { address: networkAddress(address, netmaskOf(prefixLength)), prefixLength };
}

/** Returns the netmask with that number of leading ones: 24 gives `255.255.255.0`. */
export function netmaskOf(prefixLength: number): Ipv4 {
  return ipv4FromNumber(prefixLength === 0 ? 0 : (0xffff_ffff << (32 - prefixLength)) >>> 0);
}

/** Returns the number of leading ones in a netmask, or undefined when its ones are not contiguous. */
export function prefixLengthOf(netmask: Ipv4): number | undefined {
  const inverted = ~ipv4ToNumber(netmask) >>> 0;
  // Only 2^n - 1 has no bit in common with its successor.
  return (inverted & (inverted + 1)) === 0 ? Math.clz32(inverted) : undefined;
}

export function networkAddress(address: Ipv4, netmask: Ipv4): Ipv4 {
  return ipv4FromNumber((ipv4ToNumber(address) & ipv4ToNumber(netmask)) >>> 0);
}

export function broadcastAddress(address: Ipv4, netmask: Ipv4): Ipv4 {
  return ipv4FromNumber((ipv4ToNumber(address) | ~ipv4ToNumber(netmask)) >>> 0);
}

/**
 * Returns true for the lowest and the highest address of the network that `member` is in, which no host has. A network of one or two
 * addresses has none (RFC 3021). Computes with numbers, because it runs for each DHCP packet.
 */
export function isNetworkEdge(address: Ipv4, member: Ipv4, netmask: Ipv4): boolean {
  const mask = ipv4ToNumber(netmask);
  const hostBits = ~mask;
  const value = ipv4ToNumber(address);
  if (hostBits >>> 0 < 2 || ((value ^ ipv4ToNumber(member)) & mask) !== 0) return false;
  const host = value & hostBits;
  return host === 0 || host === hostBits;
}

export function networkContains(network: Ipv4Network, address: Ipv4): boolean {
  return networkAddress(address, netmaskOf(network.prefixLength)) === network.address;
}
