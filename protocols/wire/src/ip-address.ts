import { ipv4FromNumber, ipv4ToNumber, parseIpv4 } from './ipv4.ts';
import { ipv6Bytes, ipv6FromBytes } from './ipv6.ts';

/** An IPv4 or IPv6 address as an unsigned number, with the width of its family in bits. */
export type IpAddress =
  | { readonly bits: 32; readonly value: number }
  | { readonly bits: 128; readonly value: bigint };

const MAPPED = 0xffffn;

/**
 * Parses either family. An IPv4 address mapped into IPv6 becomes IPv4, and a zone (`%eth0`) is ignored. Returns undefined when it
 * is neither.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const dotted = parseIpv4(text);
  if (dotted !== undefined) return { bits: 32, value: ipv4ToNumber(dotted) };
  const bytes = ipv6Bytes(text.replace(/%[\w.-]+$/, ''));
  if (bytes === undefined) return undefined;
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return value >> 32n === MAPPED ? ipv4Within(value) : { bits: 128, value };
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
export function ipv4Within(value: bigint): IpAddress {
  return { bits: 32, value: Number(value & 0xffff_ffffn) };
}

/** Returns true for 127.0.0.0/8 and ::1. */
export function isLoopback({ bits, value }: IpAddress): boolean {
  return bits === 32 ? value >>> 24 === 127 : value === 1n;
}

/** Returns dotted decimal, or IPv6 as RFC 5952 specifies. */
export function formatIpAddress(address: IpAddress): string {
  return address.bits === 32 ? ipv4FromNumber(address.value) : ipv6FromBytes(ipAddressBytes(address));
}

/** Returns 4 or 16 bytes, first octet first. */
export function ipAddressBytes({ bits, value }: IpAddress): Uint8Array {
  const digits = value.toString(16).padStart(bits / 4, '0');
  return Uint8Array.from({ length: bits / 8 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  );
}
