import { ByteReader, decoded, DecodeError, decodeUtf8, plainBytes, type Decoded } from '@tinkerbell/wire';
import { END, optionByCode, OVERLOAD, PAD, type DhcpOptions } from './option-table.ts';
import { HARDWARE_ADDRESS_BYTES, type DhcpPacket } from './packet.ts';
import type { OptionCodec } from './option-codec.ts';
import type { SubOption } from './sub-options.ts';

/** Far larger than any client's packet. Upstream's receive buffer has the same size. */
export const PACKET_BYTES_MAX = 4096;
export const MAGIC_COOKIE = 0x6382_5363;
export const SERVER_NAME_BYTES = 64;
export const BOOT_FILE_BYTES = 128;
const SERVER_NAME_OFFSET = 44;
const BOOT_FILE_OFFSET = 108;

/**
 * Reads one DHCPv4 message (RFC 2131). Fails, with offset and field, on a truncated or inconsistent header, a missing magic
 * cookie and an option that passes the end of its field. Accepts a missing END. Repeated options are joined in the order options,
 * file, sname (RFC 3396). A typed option with a malformed value stays raw in `options.other`.
 */
export function decodePacket(datagram: Uint8Array): Decoded<DhcpPacket> {
  return decoded(() => {
    const bytes = plainBytes(datagram);
    const reader = new ByteReader(bytes);
    if (bytes.length > PACKET_BYTES_MAX) reader.fail('too-long', 'packet', `${bytes.length} bytes`);
    const packet = readHeader(reader);
    const values = new OptionValues(bytes);
    values.readField(reader.offset, bytes.length);
    const overload = values.overload();
    if (overload.bootFile) values.readField(BOOT_FILE_OFFSET, BOOT_FILE_OFFSET + BOOT_FILE_BYTES);
    if (overload.serverName) values.readField(SERVER_NAME_OFFSET, BOOT_FILE_OFFSET);
    return {
      ...packet,
      serverName: overload.serverName ? '' : headerText(bytes, SERVER_NAME_OFFSET, SERVER_NAME_BYTES),
      bootFile: overload.bootFile ? '' : headerText(bytes, BOOT_FILE_OFFSET, BOOT_FILE_BYTES),
      options: values.finish(),
    };
  });
}

function readHeader(reader: ByteReader): Omit<DhcpPacket, 'options' | 'serverName' | 'bootFile'> {
  const op = reader.uint8('op');
  if (op !== 1 && op !== 2) reader.fail('out-of-range', 'op', `${op} is neither request nor reply`);
  const hardwareType = reader.uint8('htype');
  const hardwareLength = reader.uint8('hlen');
  if (hardwareLength > HARDWARE_ADDRESS_BYTES)
    reader.fail('out-of-range', 'hlen', `${hardwareLength} is above 16`);
  const packet = {
    op: op === 1 ? 'request' : 'reply',
    hardwareType,
    hardwareLength,
    hops: reader.uint8('hops'),
    transactionId: reader.uint32('xid'),
    secondsElapsed: reader.uint16('secs'),
    broadcast: (reader.uint16('flags') & 0x8000) !== 0,
    ciaddr: reader.ipv4('ciaddr'),
    yiaddr: reader.ipv4('yiaddr'),
    siaddr: reader.ipv4('siaddr'),
    giaddr: reader.ipv4('giaddr'),
    hardwareAddress: reader.bytes(HARDWARE_ADDRESS_BYTES, 'chaddr'),
  } as const;
  reader.skip(SERVER_NAME_BYTES, 'sname');
  reader.skip(BOOT_FILE_BYTES, 'file');
  const cookie = reader.uint32('magic cookie');
  if (cookie !== MAGIC_COOKIE) reader.fail('not-dhcp', 'magic cookie', `0x${cookie.toString(16)}`);
  return packet;
}

/** Reads up to the first NUL. Bytes that are not text are ignored, because no decision depends on a request's header fields. */
function headerText(bytes: Uint8Array, at: number, length: number): string {
  if (bytes[at] === 0) return '';
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return decodeUtf8(end < 0 ? field : field.subarray(0, end)) ?? '';
}

interface Found {
  readonly code: number;
  readonly from: number;
  readonly to: number;
  /** The pieces of a repeated option. */
  joined: Uint8Array | undefined;
}

/** By code, one more than the index of the option that was found. Only one packet is decoded at a time. */
const placeByCode = new Uint16Array(256);

/** Collects the pieces of every option, then reads each value once. Everything that is kept is a copy. */
class OptionValues {
  readonly #packet: Uint8Array;
  readonly #found: Found[] = [];

  constructor(packet: Uint8Array) {
    this.#packet = packet;
    placeByCode.fill(0);
  }

  readField(from: number, to: number): void {
    const packet = this.#packet;
    let at = from;
    while (at < to) {
      const code = packet[at] ?? END;
      if (code === END) return;
      at += 1;
      if (code === PAD) continue;
      if (at === to) truncated(at, `option ${code} length`);
      const end = at + 1 + (packet[at] ?? 0);
      if (end > to) truncated(at + 1, `option ${code}`);
      this.#add(code, at + 1, end);
      at = end;
    }
  }

  #add(code: number, from: number, to: number): void {
    const before = this.#at(code);
    if (before !== undefined) {
      before.joined = joined(this.#bytesOf(before), this.#packet.subarray(from, to));
      return;
    }
    placeByCode[code] = this.#found.push({ code, from, to, joined: undefined });
  }

  #at(code: number): Found | undefined {
    return this.#found[(placeByCode[code] ?? 0) - 1];
  }

  /** Returns a copy. */
  #bytesOf({ joined: all, from, to }: Found): Uint8Array {
    return all ?? this.#packet.slice(from, to);
  }

  /** Read before file and sname, so that an option 52 inside them cannot nest. Values other than 1 to 3 are ignored. */
  overload(): { readonly bootFile: boolean; readonly serverName: boolean } {
    const found = this.#at(OVERLOAD);
    const value = found && this.#bytesOf(found);
    const bits = value?.length === 1 && (value[0] ?? 0) <= 3 ? (value[0] ?? 0) : 0;
    return { bootFile: (bits & 1) !== 0, serverName: (bits & 2) !== 0 };
  }

  finish(): DhcpOptions {
    const known: Record<string, unknown> = {};
    const other: SubOption[] = [];
    for (const found of this.#found) {
      const { code } = found;
      if (code === OVERLOAD) continue;
      const entry = optionByCode.get(code);
      const value = entry && this.#valueOf(found, entry.codec);
      if (entry === undefined || value === undefined) other.push({ code, bytes: this.#bytesOf(found) });
      else known[entry.name] = value;
    }
    return other.length === 0 ? known : { ...known, other };
  }

  #valueOf(found: Found, codec: OptionCodec<unknown>): unknown {
    if (codec.decodeIn === undefined || found.joined !== undefined) return codec.decode(this.#bytesOf(found));
    return codec.decodeIn(this.#packet, found.from, found.to);
  }
}

function truncated(offset: number, field: string): never {
  throw new DecodeError({ code: 'truncated', offset, field }, 'passes the end of its field');
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
