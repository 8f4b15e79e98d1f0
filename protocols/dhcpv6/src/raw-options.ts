import type { ByteReader } from '@tinkerbell/wire';
import { joined, uint16Bytes } from './option-codec.ts';

export interface RawOption {
  readonly code: number;
  readonly bytes: Uint8Array;
}

/** RFC 8415 section 21.1. Throws DecodeError for an option that passes the end. */
export function readRawOptions(reader: ByteReader): readonly RawOption[] {
  const options: RawOption[] = [];
  while (reader.remaining > 0) {
    const code = reader.uint16('option code');
    const name = `option ${code}`;
    options.push({ code, bytes: reader.bytes(reader.uint16(`${name} length`), name) });
  }
  return options;
}

/** Throws RangeError for a value above 65,535 bytes. Only the program creates those, never the network. */
export function writeRawOptions(options: readonly RawOption[]): Uint8Array {
  return joined(
    options.flatMap(({ code, bytes }) => {
      if (bytes.length > 0xffff) throw new RangeError(`option ${code} has ${bytes.length} bytes`);
      return [uint16Bytes(code), uint16Bytes(bytes.length), bytes];
    }),
  );
}
