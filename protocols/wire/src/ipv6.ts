import { ipv4ToNumber, parseIpv4 } from './ipv4.ts';

declare const ipv6Brand: unique symbol;

/** An IPv6 address in the form of RFC 5952: lower case, no leading zeros, the longest run of zeros as `::`. It has no zone. */
export type Ipv6 = string & { readonly [ipv6Brand]: true };

const GROUPS = 8;
/** Eight groups of which the last two are dotted decimal. */
const CHARACTERS_MAX = 45;

/** Returns the address of 16 bytes. */
export function ipv6FromBytes(bytes: Uint8Array): Ipv6 {
  const groups = Array.from({ length: GROUPS }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(':') as Ipv6;
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}` as Ipv6;
}

export function ipv6ToBytes(address: Ipv6): Uint8Array {
  return ipv6Bytes(address) ?? new Uint8Array(GROUPS * 2);
}

/**
 * Returns the address, or undefined when the text is not an address or has a zone. Its last 32 bits may be an IPv4 address. RFC
 * 4291, section 2.2.
 */
export function parseIpv6(text: string): Ipv6 | undefined {
  const bytes = ipv6Bytes(text);
  return bytes === undefined ? undefined : ipv6FromBytes(bytes);
}

/** Returns the 16 bytes of an address in any spelling, or undefined as `parseIpv6` does. */
export function ipv6Bytes(text: string): Uint8Array | undefined {
  if (text.length > CHARACTERS_MAX) return undefined;
  const halves = withoutDotted(text)?.split('::');
  if (halves === undefined || halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const given = [...(head ?? []), ...(tail ?? [])];
  const missing = GROUPS - given.length;
  const isComplete = tail === undefined ? missing === 0 : missing >= 1;
  if (!isComplete || !given.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const groups = [...(head ?? []), ...Array.from({ length: missing }, () => '0'), ...(tail ?? [])];
  return Uint8Array.from(
    groups.flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 255];
    }),
  );
}

/** `64:ff9b::192.0.2.1` with its last 32 bits as two groups. */
function withoutDotted(text: string): string | undefined {
  const at = text.lastIndexOf(':') + 1;
  if (!text.includes('.', at)) return text;
  const dotted = parseIpv4(text.slice(at));
  if (dotted === undefined) return undefined;
  const value = ipv4ToNumber(dotted);
  return `${text.slice(0, at)}${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
}

function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === '0' ? length + 1 : 0;
    if (length > best.length) best = { start: index - length + 1, length };
  }
  return best;
}
