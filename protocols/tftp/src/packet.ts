import { ByteReader, ByteWriter, decoded, decodeUtf8, encodeUtf8, type Decoded } from '@tinkerbell/wire';

/** Option names and values in the order in which they were sent. Names are lower case (RFC 2347: case does not matter). */
export type TftpOptions = readonly (readonly [name: string, value: string])[];

/** RFC 1350 section 5 and RFC 2347. Block numbers are the 16 bits on the wire. */
export type TftpPacket =
  | {
      readonly kind: 'read-request' | 'write-request';
      readonly fileName: string;
      /** Lower case: `octet`, `netascii`, or the value that was sent. */
      readonly mode: string;
      readonly options: TftpOptions;
    }
  | { readonly kind: 'data'; readonly block: number; readonly bytes: Uint8Array }
  | { readonly kind: 'acknowledge'; readonly block: number }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'option-acknowledge'; readonly options: TftpOptions };

/** Error codes, RFC 1350 appendix and RFC 2347. */
export const tftpError = {
  notDefined: 0,
  fileNotFound: 1,
  accessViolation: 2,
  illegalOperation: 4,
  unknownTransfer: 5,
  optionRefused: 8,
} as const;

/** RFC 2347: a request, options included, has at most 512 bytes. That also limits the number of options. */
export const REQUEST_BYTES_MAX = 512;

const OPCODES = {
  1: 'read-request',
  2: 'write-request',
  3: 'data',
  4: 'acknowledge',
  5: 'error',
  6: 'option-acknowledge',
} as const;

/**
 * Reads one TFTP packet, strictly: known opcode, terminated texts of valid UTF-8 in requests, each option with a value, and no
 * trailing bytes. Only the message of an error may lack its NUL, because several ROMs omit it.
 */
export function decodeTftp(bytes: Uint8Array): Decoded<TftpPacket> {
  return isAcknowledgement(bytes)
    ? { ok: true, value: { kind: 'acknowledge', block: ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0) } }
    : decodeAny(bytes);
}

/** Nearly every packet that a server receives is one of these. They are read without allocating a reader. */
function isAcknowledgement(bytes: Uint8Array): boolean {
  return bytes.length === 4 && bytes[0] === 0 && bytes[1] === 4;
}

function decodeAny(bytes: Uint8Array): Decoded<TftpPacket> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const opcode = reader.uint16('opcode');
    const kind = (OPCODES as Partial<Record<number, TftpPacket['kind']>>)[opcode];
    switch (kind) {
      case 'read-request':
      case 'write-request':
        if (bytes.length > REQUEST_BYTES_MAX) reader.fail('too-long', 'request', `${bytes.length} bytes`);
        return readRequest(kind, reader);
      case 'data':
        return { kind, block: reader.uint16('block'), bytes: reader.bytes(reader.remaining, 'data') };
      case 'acknowledge': {
        const block = reader.uint16('block');
        if (reader.remaining > 0) reader.fail('left-over', 'acknowledgement', `${reader.remaining} bytes`);
        return { kind, block };
      }
      case 'error': {
        const code = reader.uint16('error code');
        const message = decodeUtf8(reader.bytes(reader.remaining, 'error message')) ?? '';
        return { kind, code, message: message.replace(/\0[^]*$/, '') };
      }
      case 'option-acknowledge':
        return { kind, options: readOptions(reader) };
      default:
        return reader.fail('unknown-opcode', 'opcode', `${opcode}`);
    }
  });
}

/** Writes one TFTP packet. A text with a NUL would end early. That is a bug of the caller: RangeError. */
export function encodeTftp(packet: TftpPacket): Uint8Array {
  switch (packet.kind) {
    case 'data':
      return written(3, packet.block, packet.bytes);
    case 'acknowledge':
      return written(4, packet.block, new Uint8Array());
    case 'error':
      return written(5, packet.code, texts([packet.message]));
    case 'option-acknowledge':
      return written(6, undefined, texts(packet.options.flat()));
    case 'read-request':
    case 'write-request': {
      const opcode = packet.kind === 'read-request' ? 1 : 2;
      return written(opcode, undefined, texts([packet.fileName, packet.mode, ...packet.options.flat()]));
    }
    default:
      return packet satisfies never;
  }
}

function readRequest(kind: 'read-request' | 'write-request', reader: ByteReader): TftpPacket {
  const fileName = readText(reader, 'file name');
  if (fileName === '') reader.fail('empty', 'file name', 'no file name');
  const mode = readText(reader, 'mode').toLowerCase();
  return { kind, fileName, mode, options: readOptions(reader) };
}

function readOptions(reader: ByteReader): TftpOptions {
  const options: [string, string][] = [];
  while (reader.remaining > 0) {
    options.push([readText(reader, 'option name').toLowerCase(), readText(reader, 'option value')]);
  }
  return options;
}

function readText(reader: ByteReader, field: string): string {
  return decodeUtf8(reader.untilNul(field)) ?? reader.fail('not-text', field, 'not UTF-8');
}

function written(opcode: number, number: number | undefined, rest: Uint8Array): Uint8Array {
  const writer = new ByteWriter((number === undefined ? 2 : 4) + rest.length);
  writer.uint16(opcode);
  if (number !== undefined) writer.uint16(number);
  writer.bytes(rest);
  return writer.finish();
}

function texts(values: readonly string[]): Uint8Array {
  const nul = values.find((value) => value.includes('\0'));
  if (nul !== undefined) throw new RangeError(`text with a NUL: ${JSON.stringify(nul)}`);
  return encodeUtf8(values.map((value) => `${value}\0`).join(''));
}
