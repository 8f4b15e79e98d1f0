import { ipv4FromNumber, ipv4ToNumber, parseIpv4 } from '@tinkerbell/wire';

/** An IPv4 or IPv6 address as an unsigned number, with the width of its family in bits. */
export type IpAddress =
  | { readonly bits: 32; readonly value: number }
  | { readonly bits: 128; readonly value: bigint };

export interface IpNetwork {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

const MAPPED = 0xffffn;

/** Reads either family; an IPv4 address mapped into IPv6 is IPv4, and a zone (`%eth0`) is left out. Undefined when it is neither. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const dotted = parseIpv4(text);
  if (dotted !== undefined) return { bits: 32, value: ipv4ToNumber(dotted) };
  const value = parseIpv6(text.replace(/%[\w.-]+$/, ''));
  if (value === undefined) return undefined;
  return value >> 32n === MAPPED ? ipv4Within(value) : { bits: 128, value };
}

/** The IPv4 address in the last 32 bits of an IPv6 address. */
export function ipv4Within(value: bigint): IpAddress {
  return { bits: 32, value: Number(value & 0xffff_ffffn) };
}

/** Reads `10.0.0.0/8`, `fd00::/8`, or one address. Undefined when it is none of them. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [host = '', length, ...rest] = text.split('/');
  const address = parseIpAddress(host);
  if (address === undefined || rest.length > 0) return undefined;
  if (length === undefined) return { address, prefixLength: address.bits };
  const prefixLength = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return prefixLength <= address.bits ? { address, prefixLength } : undefined;
}

export function networkHolds({ address, prefixLength }: IpNetwork, candidate: IpAddress): boolean {
  if (address.bits === 32) {
    // A shift by 32 bits is none.
    return (
      candidate.bits === 32 &&
      (prefixLength === 0 || (address.value ^ candidate.value) >>> (32 - prefixLength) === 0)
    );
  }
  const shift = BigInt(128 - prefixLength);
  return candidate.bits === 128 && address.value >> shift === candidate.value >> shift;
}

/** 127.0.0.0/8 and ::1. */
export function isLoopback({ bits, value }: IpAddress): boolean {
  return bits === 32 ? value >>> 24 === 127 : value === 1n;
}

/** Dotted decimal, or IPv6 as RFC 5952 writes it: lower case, the longest run of zeros as `::`. */
export function formatIpAddress({ bits, value }: IpAddress): string {
  if (bits === 32) return ipv4FromNumber(value);
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  ).join(':');
  const runs = groups.match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups;
  const at = groups.search(new RegExp(`(?:^|:)${longest}(?:$|:)`));
  const head = groups.slice(0, at);
  const tail = groups.slice(at).replace(/^:/, '').slice(longest.length).replace(/^:/, '');
  return `${head}::${tail}`;
}

/** RFC 4291, section 2.2, all three forms. */
function parseIpv6(text: string): bigint | undefined {
  const whole = withoutDottedTail(text);
  const halves = whole?.split('::') ?? [];
  if (halves.length < 1 || halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function withoutDottedTail(text: string): string | undefined {
  if (!text.includes('.')) return text;
  const at = text.lastIndexOf(':') + 1;
  const tail = parseIpv4(text.slice(at));
  if (tail === undefined || at === 0) return undefined;
  const value = ipv4ToNumber(tail);
  return `${text.slice(0, at)}${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
}
