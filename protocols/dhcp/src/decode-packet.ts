import { ByteReader, decoded, decodeUtf8, type Decoded } from '@tinkerbell/wire';
import { END, optionByCode, OVERLOAD, PAD, type DhcpOptions } from './option-table.ts';
import { HARDWARE_ADDRESS_BYTES, type DhcpPacket } from './packet.ts';
import type { SubOption } from './sub-options.ts';

/** Nothing a client sends comes near; upstream's receive buffer has the same size. */
export const PACKET_BYTES_MAX = 4096;
export const MAGIC_COOKIE = 0x6382_5363;
export const SERVER_NAME_BYTES = 64;
export const BOOT_FILE_BYTES = 128;
const SERVER_NAME_OFFSET = 44;
const BOOT_FILE_OFFSET = 108;

interface HeaderFields {
  readonly packet: Omit<DhcpPacket, 'options' | 'serverName' | 'bootFile'>;
  readonly serverName: Uint8Array;
  readonly bootFile: Uint8Array;
}

/**
 * Reads one DHCPv4 message (RFC 2131). Fails, with offset and field, on a header that is cut or lies, a missing magic
 * cookie and an option that passes the end of its field; forgives a missing END. Repeated options are joined in the
 * order options, file, sname (RFC 3396); a typed option with a malformed value stays raw in `options.other`.
 */
export function decodePacket(bytes: Uint8Array): Decoded<DhcpPacket> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    if (bytes.length > PACKET_BYTES_MAX) reader.fail('too-long', 'packet', `${bytes.length} bytes`);
    const { packet, serverName, bootFile } = readHeader(reader);
    const optionsOffset = reader.offset;
    const values = new OptionValues();
    values.readField(reader.bytes(reader.remaining, 'options'), optionsOffset);
    const overload = values.overload();
    if (overload.bootFile) values.readField(bootFile, BOOT_FILE_OFFSET);
    if (overload.serverName) values.readField(serverName, SERVER_NAME_OFFSET);
    return {
      ...packet,
      serverName: overload.serverName ? '' : headerText(serverName),
      bootFile: overload.bootFile ? '' : headerText(bootFile),
      options: values.finish(),
    };
  });
}

function readHeader(reader: ByteReader): HeaderFields {
  const op = reader.uint8('op');
  if (op !== 1 && op !== 2) reader.fail('out-of-range', 'op', `${op} is neither request nor reply`);
  const hardwareType = reader.uint8('htype');
  const hardwareLength = reader.uint8('hlen');
  if (hardwareLength > HARDWARE_ADDRESS_BYTES)
    reader.fail('out-of-range', 'hlen', `${hardwareLength} is above 16`);
  const hops = reader.uint8('hops');
  const packet = {
    op: op === 1 ? 'request' : 'reply',
    hardwareType,
    hardwareLength,
    hops,
    transactionId: reader.uint32('xid'),
    secondsElapsed: reader.uint16('secs'),
    broadcast: (reader.uint16('flags') & 0x8000) !== 0,
    ciaddr: reader.ipv4('ciaddr'),
    yiaddr: reader.ipv4('yiaddr'),
    siaddr: reader.ipv4('siaddr'),
    giaddr: reader.ipv4('giaddr'),
    hardwareAddress: reader.bytes(HARDWARE_ADDRESS_BYTES, 'chaddr'),
  } as const;
  const serverName = reader.bytes(SERVER_NAME_BYTES, 'sname');
  const bootFile = reader.bytes(BOOT_FILE_BYTES, 'file');
  const cookie = reader.uint32('magic cookie');
  if (cookie !== MAGIC_COOKIE) reader.fail('not-dhcp', 'magic cookie', `0x${cookie.toString(16)}`);
  return { packet, serverName, bootFile };
}

/** Up to the first NUL. Bytes that are no text count as none: nothing is decided from a request's header fields. */
function headerText(field: Uint8Array): string {
  const end = field.indexOf(0);
  return decodeUtf8(end < 0 ? field : field.subarray(0, end)) ?? '';
}

/** Collects the pieces of every option, then reads each value once. */
class OptionValues {
  readonly #pieces = new Map<number, Uint8Array[]>();

  readField(field: Uint8Array, offset: number): void {
    const reader = new ByteReader(field, offset);
    while (reader.remaining > 0) {
      const code = reader.uint8('option code');
      if (code === END) return;
      if (code === PAD) continue;
      const name = `option ${code}`;
      const piece = reader.bytes(reader.uint8(`${name} length`), name);
      const pieces = this.#pieces.get(code);
      if (pieces === undefined) this.#pieces.set(code, [piece]);
      else pieces.push(piece);
    }
  }

  /** Read before file and sname are, so that an option 52 inside them cannot nest. Values other than 1 to 3 count as none. */
  overload(): { readonly bootFile: boolean; readonly serverName: boolean } {
    const value = join(this.#pieces.get(OVERLOAD) ?? []);
    const bits = value.length === 1 && (value[0] ?? 0) <= 3 ? (value[0] ?? 0) : 0;
    return { bootFile: (bits & 1) !== 0, serverName: (bits & 2) !== 0 };
  }

  finish(): DhcpOptions {
    const known: Record<string, unknown> = {};
    const other: SubOption[] = [];
    for (const [code, pieces] of this.#pieces) {
      if (code === OVERLOAD) continue;
      const bytes = join(pieces);
      const entry = optionByCode.get(code);
      const value = entry?.codec.decode(bytes);
      if (entry === undefined || value === undefined) other.push({ code, bytes });
      else known[entry.name] = value;
    }
    return other.length === 0 ? known : { ...known, other };
  }
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
