import {
  ByteReader,
  DecodeError,
  decodeUtf8,
  encodeUtf8,
  ipv6FromBytes,
  ipv6ToBytes,
  type Ipv6,
} from '@tinkerbell/wire';

/** Reads and writes one option's value. `decode` returns undefined when the bytes are not a valid value. */
export interface OptionCodec<Value> {
  decode(bytes: Uint8Array): Value | undefined;
  encode(value: Value): Uint8Array;
}

export const bytesOption = (bytesMin: number): OptionCodec<Uint8Array> => ({
  decode: (bytes) => (bytes.length >= bytesMin ? bytes : undefined),
  encode: (value) => value,
});

export const flagOption: OptionCodec<true> = {
  decode: (bytes) => (bytes.length === 0 ? true : undefined),
  encode: () => new Uint8Array(),
};

export const uint8Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 1 ? bytes[0] : undefined),
  encode: (value) => Uint8Array.of(value),
};

export const uint16Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 2 ? new ByteReader(bytes).uint16('value') : undefined),
  encode: uint16Bytes,
};

export const uint32Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 4 ? new ByteReader(bytes).uint32('value') : undefined),
  encode: uint32Bytes,
};

export const uint16ListOption: OptionCodec<readonly number[]> = {
  decode: (bytes) => (bytes.length % 2 === 0 ? items(bytes, (reader) => reader.uint16('value')) : undefined),
  encode: (values) => joined(values.map(uint16Bytes)),
};

export const textOption: OptionCodec<string> = {
  decode: (bytes) => (bytes.length === 0 ? undefined : decodeUtf8(bytes)),
  encode: encodeUtf8,
};

export const addressListOption: OptionCodec<readonly Ipv6[]> = {
  decode: (bytes) =>
    bytes.length > 0 && bytes.length % 16 === 0
      ? items(bytes, (reader) => ipv6FromBytes(reader.bytes(16, 'address')))
      : undefined,
  encode: (values) => joined(values.map(ipv6ToBytes)),
};

/** Values that are each preceded by their length in 16 bits: user class, vendor class data, boot file parameters. */
export const dataListOption: OptionCodec<readonly Uint8Array[]> = {
  decode: (bytes) => items(bytes, (reader) => reader.bytes(reader.uint16('length'), 'data')),
  encode: (values) => joined(values.flatMap((value) => [uint16Bytes(value.length), value])),
};

/** The same as text, RFC 5970 section 3.2. */
export const textListOption: OptionCodec<readonly string[]> = {
  decode: (bytes) => {
    const texts = dataListOption.decode(bytes)?.map(decodeUtf8);
    return texts?.every((text) => text !== undefined) ? texts : undefined;
  },
  encode: (values) => dataListOption.encode(values.map(encodeUtf8)),
};

/** Names without compression, RFC 8415 section 10. */
export const domainListOption: OptionCodec<readonly string[]> = {
  decode: (bytes) => items(bytes, readDomain),
  encode: (names) =>
    joined(
      names.flatMap((name) => [
        ...name.split('.').flatMap((label) => [Uint8Array.of(encodeUtf8(label).length), encodeUtf8(label)]),
        Uint8Array.of(0),
      ]),
    ),
};

const LABEL_BYTES_MAX = 63;

function readDomain(reader: ByteReader): string {
  const labels: string[] = [];
  for (let length = reader.uint8('label length'); length > 0; length = reader.uint8('label length')) {
    if (length > LABEL_BYTES_MAX) reader.fail('out-of-range', 'label length', `${length} is above 63`);
    const label = decodeUtf8(reader.bytes(length, 'label'));
    if (label === undefined || label.includes('.')) reader.fail('not-text', 'label', 'is not a valid label');
    labels.push(label);
  }
  if (labels.length === 0) reader.fail('empty', 'name', 'has no labels');
  return labels.join('.');
}

/** Returns undefined when there is no value, or one is truncated. */
function items<Value>(bytes: Uint8Array, read: (reader: ByteReader) => Value): readonly Value[] | undefined {
  const reader = new ByteReader(bytes);
  const values: Value[] = [];
  try {
    while (reader.remaining > 0) values.push(read(reader));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
  return values.length === 0 ? undefined : values;
}

export function uint16Bytes(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value);
}

export function uint32Bytes(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
