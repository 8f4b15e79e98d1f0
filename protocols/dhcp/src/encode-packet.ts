import { ByteWriter, encodeUtf8 } from '@tinkerbell/wire';
import { BOOT_FILE_BYTES, MAGIC_COOKIE, SERVER_NAME_BYTES } from './decode-packet.ts';
import { END, optionByName, optionTable, OVERLOAD } from './option-table.ts';
import {
  PIECE_BYTES_MAX,
  placeOptions,
  writtenBytes,
  type OptionValue,
  type Placement,
} from './place-options.ts';
import { HARDWARE_ADDRESS_BYTES, type DhcpPacket } from './packet.ts';

/** The length of a BOOTP message (RFC 951 section 3). Old ROMs drop shorter replies. */
export const PACKET_BYTES_MIN = 300;
/** RFC 2131 section 2: the size that every client must accept by default, IP and UDP headers included. */
export const DATAGRAM_BYTES_DEFAULT = 576;
const IP_AND_UDP_HEADER_BYTES = 28;
const HEADER_BYTES = 240;

/** The replies that the client accepts, and the memory to which they are written. */
export interface ReplyLimits {
  /** Option 57, IP and UDP headers included, as ISC dhcpd reads it. A value below 576 counts as 576. */
  readonly maximumMessageBytes?: number | undefined;
  /** Option 55. */
  readonly requestedOptions?: readonly number[] | undefined;
  /** The memory to write to, when it is large enough. The packet is then valid until the memory is used for the next one. */
  readonly into?: Uint8Array | undefined;
}

export type EncodedPacket =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** Codes of options that did not fit into the client's maximum message size. */
      readonly droppedOptions: readonly number[];
    }
  | {
      readonly ok: false;
      readonly error: { readonly code: string; readonly field: string; readonly message: string };
    };

/**
 * Writes one DHCPv4 message of at least 300 bytes. The order of options is: type, server and lease time, then those the client
 * requested in its order, then the others ascending, and relay agent information (82) last. Long options are split (RFC 3396).
 * Options beyond the client's maximum go into file, then sname (option 52) where those are empty. The rest is dropped and
 * reported. Fails when serverName (63 bytes) or bootFile (127 bytes) is too long for its field.
 */
export function encodePacket(packet: DhcpPacket, limits: ReplyLimits = {}): EncodedPacket {
  const serverName = encodeUtf8(packet.serverName);
  const bootFile = encodeUtf8(packet.bootFile);
  // One byte less than the field: readers expect a terminating NUL.
  if (serverName.length >= SERVER_NAME_BYTES)
    return tooLong('serverName', serverName.length, SERVER_NAME_BYTES - 1);
  if (bootFile.length >= BOOT_FILE_BYTES) return tooLong('bootFile', bootFile.length, BOOT_FILE_BYTES - 1);

  const datagramBytes = Math.max(limits.maximumMessageBytes ?? 0, DATAGRAM_BYTES_DEFAULT);
  const sizes = {
    options: datagramBytes - IP_AND_UDP_HEADER_BYTES - HEADER_BYTES,
    bootFile: bootFile.length === 0 ? BOOT_FILE_BYTES : 0,
    serverName: serverName.length === 0 ? SERVER_NAME_BYTES : 0,
  };
  const placement = placeOptions(optionValuesOf(packet), sizes, limits.requestedOptions);
  return {
    ok: true,
    bytes: writePacket(packet, placement, { serverName, bootFile, into: limits.into }),
    droppedOptions: placement.dropped,
  };
}

function tooLong(field: string, length: number, limit: number): EncodedPacket {
  return {
    ok: false,
    error: { code: 'too-long', field, message: `${field} has ${length} bytes, at most ${limit} fit` },
  };
}

function optionValuesOf(packet: DhcpPacket): readonly OptionValue[] {
  const values: OptionValue[] = [];
  for (const key of Object.keys(packet.options)) {
    const entry = optionByName.get(key);
    const value = entry && packet.options[entry.name];
    if (entry === undefined || value === undefined || value === '') continue;
    const { code, codec } = entry;
    const bytes = codec.encode(value);
    // An empty value is forbidden (RFC 2132 defines a minimum length for every option). Only 97 was seen
    // empty.
    if (bytes.length > 0 || code === optionTable.clientMachineIdentifier.code) values.push({ code, bytes });
  }
  if (packet.options.other !== undefined) values.push(...packet.options.other);
  return values;
}

function writePacket(
  packet: DhcpPacket,
  placement: Placement,
  header: {
    readonly serverName: Uint8Array;
    readonly bootFile: Uint8Array;
    readonly into: Uint8Array | undefined;
  },
): Uint8Array {
  const overload = (placement.bootFile.length > 0 ? 1 : 0) | (placement.serverName.length > 0 ? 2 : 0);
  const last = [
    ...(overload === 0 ? [] : [{ code: OVERLOAD, bytes: Uint8Array.of(overload) }]),
    ...(placement.relay === undefined ? [] : [placement.relay]),
  ];
  const options = last.length === 0 ? placement.options : [...placement.options, ...last];
  const optionBytes = options.reduce((sum, option) => sum + writtenBytes(option), 1);
  const writer = new ByteWriter(Math.max(PACKET_BYTES_MIN, HEADER_BYTES + optionBytes), header.into);
  writer.uint8(packet.op === 'request' ? 1 : 2);
  writer.uint8(packet.hardwareType);
  writer.uint8(packet.hardwareLength);
  writer.uint8(packet.hops);
  writer.uint32(packet.transactionId);
  writer.uint16(packet.secondsElapsed);
  writer.uint16(packet.broadcast ? 0x8000 : 0);
  writer.ipv4(packet.ciaddr);
  writer.ipv4(packet.yiaddr);
  writer.ipv4(packet.siaddr);
  writer.ipv4(packet.giaddr);
  writer.padded(packet.hardwareAddress, HARDWARE_ADDRESS_BYTES);
  // sname and file contain their text, or options when there are any.
  if (placement.serverName.length === 0) writer.padded(header.serverName, SERVER_NAME_BYTES);
  else writeOptionField(writer, placement.serverName, SERVER_NAME_BYTES);
  if (placement.bootFile.length === 0) writer.padded(header.bootFile, BOOT_FILE_BYTES);
  else writeOptionField(writer, placement.bootFile, BOOT_FILE_BYTES);
  writer.uint32(MAGIC_COOKIE);
  writeOptions(writer, options);
  writer.zeros(writer.remaining);
  return writer.finish();
}

/** Fills a field of the header with options. */
function writeOptionField(writer: ByteWriter, options: readonly OptionValue[], fieldBytes: number): void {
  const before = writer.length;
  writeOptions(writer, options);
  writer.zeros(fieldBytes - (writer.length - before));
}

/** Includes the END that closes a field. */
function writeOptions(writer: ByteWriter, options: readonly OptionValue[]): void {
  for (const { code, bytes } of options) {
    let at = 0;
    do {
      const piece = bytes.length <= PIECE_BYTES_MAX ? bytes : bytes.slice(at, at + PIECE_BYTES_MAX);
      writer.uint8(code);
      writer.uint8(piece.length);
      writer.bytes(piece);
      at += PIECE_BYTES_MAX;
    } while (at < bytes.length);
  }
  writer.uint8(END);
}
