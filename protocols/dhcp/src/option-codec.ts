import { ByteReader, ByteWriter, decodeUtf8, encodeUtf8, type Ipv4 } from '@tinkerbell/wire';

/**
 * How one option's value is read and written. `decode` answers undefined when the bytes are not a valid value: the
 * option is then kept raw, so that one sloppy option does not cost the client its packet.
 */
export interface OptionCodec<Value> {
  decode(bytes: Uint8Array): Value | undefined;
  encode(value: Value): Uint8Array;
}

/** One byte, RFC 2132 passim. */
export const uint8Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 1 ? bytes[0] : undefined),
  encode: (value) => Uint8Array.of(value),
};

export const uint16Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 2 ? new ByteReader(bytes).uint16('value') : undefined),
  encode: (value) => Uint8Array.of(value >>> 8, value),
};

export const uint32Option: OptionCodec<number> = {
  decode: (bytes) => (bytes.length === 4 ? new ByteReader(bytes).uint32('value') : undefined),
  encode: (value) => written(4, (writer) => writer.uint32(value)),
};

export const ipv4Option: OptionCodec<Ipv4> = {
  decode: (bytes) => (bytes.length === 4 ? new ByteReader(bytes).ipv4('value') : undefined),
  encode: (value) => written(4, (writer) => writer.ipv4(value)),
};

export const ipv4ListOption: OptionCodec<readonly Ipv4[]> = {
  decode: (bytes) => itemsOf(bytes, 4, (reader) => reader.ipv4('value')),
  encode: (values) =>
    written(values.length * 4, (writer) => {
      for (const value of values) writer.ipv4(value);
    }),
};

export const uint16ListOption: OptionCodec<readonly number[]> = {
  decode: (bytes) => itemsOf(bytes, 2, (reader) => reader.uint16('value')),
  encode: (values) =>
    written(values.length * 2, (writer) => {
      for (const value of values) writer.uint16(value);
    }),
};

export const uint8ListOption: OptionCodec<readonly number[]> = {
  decode: (bytes) => (bytes.length === 0 ? undefined : [...bytes]),
  encode: (values) => Uint8Array.from(values),
};

/**
 * UTF-8 text of at least one byte. Trailing NULs are dropped (RFC 2132 section 2: receivers must be prepared for them;
 * some option ROMs end their class identifier with one).
 */
export const textOption: OptionCodec<string> = {
  decode: (bytes) => {
    let length = bytes.length;
    while (length > 0 && bytes[length - 1] === 0) length -= 1;
    return length === 0 ? undefined : decodeUtf8(bytes.subarray(0, length));
  },
  encode: encodeUtf8,
};

/** Opaque bytes with a least length. */
export function bytesOption(minimumBytes: number): OptionCodec<Uint8Array> {
  return {
    decode: (bytes) => (bytes.length < minimumBytes ? undefined : bytes),
    encode: (value) => value,
  };
}

function written(length: number, write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter(length);
  write(writer);
  return writer.finish();
}

function itemsOf<Item>(
  bytes: Uint8Array,
  itemBytes: number,
  read: (reader: ByteReader) => Item,
): readonly Item[] | undefined {
  if (bytes.length === 0 || bytes.length % itemBytes !== 0) return undefined;
  const reader = new ByteReader(bytes);
  const items: Item[] = [];
  while (reader.remaining > 0) items.push(read(reader));
  return items;
}
