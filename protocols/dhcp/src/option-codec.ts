import { decodeUtf8, encodeUtf8, ipv4FromNumber, ipv4ToNumber, type Ipv4 } from '@tinkerbell/wire';

/** Short values are plain arrays, because a typed array of a few bytes takes more time and memory than everything else about it. */
export type OptionBytes = Uint8Array | readonly number[];

/**
 * Reads and writes one option's value. `decode` returns undefined when the bytes are not a valid value. The option is then kept
 * raw, so that the packet is not rejected because of one malformed option.
 */
export interface OptionCodec<Value> {
  decode(bytes: Uint8Array): Value | undefined;
  /** The same for the bytes of a packet between two offsets. Absent: `decode` gets a copy. */
  decodeIn?(packet: Uint8Array, from: number, to: number): Value | undefined;
  encode(value: Value): OptionBytes;
}

/** One byte, RFC 2132 passim. */
export const uint8Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 1 ? bytes[0] : undefined),
  decodeIn: (packet, from, to) => (to - from === 1 ? packet[from] : undefined),
  encode: (value) => [value & 255],
};

export const uint16Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 2 ? uint16At(bytes, 0) : undefined),
  decodeIn: (packet, from, to) => (to - from === 2 ? uint16At(packet, from) : undefined),
  encode: (value) => [(value >>> 8) & 255, value & 255],
};

export const uint32Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 4 ? uint32At(bytes, 0) : undefined),
  decodeIn: (packet, from, to) => (to - from === 4 ? uint32At(packet, from) : undefined),
  encode: octetsOf,
};

export const ipv4Option: OptionCodec<Ipv4> = {
  decode: (bytes) => (bytes.length === 4 ? ipv4FromNumber(uint32At(bytes, 0)) : undefined),
  decodeIn: (packet, from, to) => (to - from === 4 ? ipv4FromNumber(uint32At(packet, from)) : undefined),
  encode: (value) => octetsOf(ipv4ToNumber(value)),
};

export const ipv4ListOption: OptionCodec<readonly Ipv4[]> = {
  decode: (bytes) => itemsOf(bytes, 4, (at) => ipv4FromNumber(uint32At(bytes, at))),
  encode: (values) => {
    if (values.length === 1 && values[0] !== undefined) return octetsOf(ipv4ToNumber(values[0]));
    const bytes: number[] = [];
    for (const value of values) bytes.push(...octetsOf(ipv4ToNumber(value)));
    return bytes;
  },
};

export const uint16ListOption: OptionCodec<readonly number[]> = {
  decode: (bytes) => itemsOf(bytes, 2, (at) => uint16At(bytes, at)),
  encode: (values) => Uint8Array.from(values.flatMap((value) => [value >>> 8, value & 255])),
};

export const uint8ListOption: OptionCodec<readonly number[]> = {
  decode: (bytes) => (bytes.length === 0 ? undefined : [...bytes]),
  decodeIn: (packet, from, to) => {
    if (from === to) return undefined;
    const values: number[] = [];
    for (let at = from; at < to; at += 1) values.push(packet[at] ?? 0);
    return values;
  },
  encode: (values) => Uint8Array.from(values),
};

/**
 * UTF-8 text of at least one byte. Trailing NULs are dropped, because RFC 2132 section 2 requires receivers
 * to be prepared for them. Some option ROMs end their class identifier with one.
 */
export const textOption: OptionCodec<string> = {
  decode: (bytes) => {
    let length = bytes.length;
    while (length > 0 && bytes[length - 1] === 0) length -= 1;
    return length === 0 ? undefined : decodeUtf8(bytes.subarray(0, length));
  },
  encode: encodeUtf8,
};

/** Opaque bytes with a minimum length. */
export function bytesOption(minimumBytes: number): OptionCodec<Uint8Array> {
  return {
    decode: (bytes) => (bytes.length < minimumBytes ? undefined : bytes),
    encode: (value) => value,
  };
}

function uint16At(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function uint32At(bytes: Uint8Array, at: number): number {
  return uint16At(bytes, at) * 0x1_0000 + uint16At(bytes, at + 2);
}

function octetsOf(value: number): readonly number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

function itemsOf<Item>(
  bytes: Uint8Array,
  itemBytes: number,
  read: (at: number) => Item,
): readonly Item[] | undefined {
  if (bytes.length === 0 || bytes.length % itemBytes !== 0) return undefined;
  const items: Item[] = [];
  for (let at = 0; at < bytes.length; at += itemBytes) items.push(read(at));
  return items;
}
