import { ByteWriter, encodeUtf8 } from '@tinkerbell/wire';
import { BOOT_FILE_BYTES, MAGIC_COOKIE, SERVER_NAME_BYTES } from './decode-packet.ts';
import { END, optionByCode, optionTable, OVERLOAD, type OptionName } from './option-table.ts';
import { placeOptions, type OptionValue, type Placement } from './place-options.ts';
import { HARDWARE_ADDRESS_BYTES, type DhcpPacket } from './packet.ts';

/** RFC 951 section 3: the length of a BOOTP message; old ROMs drop shorter replies. */
export const PACKET_BYTES_MIN = 300;
/** RFC 2131 section 2: what a client that does not say otherwise must take, IP and UDP headers included. */
export const DATAGRAM_BYTES_DEFAULT = 576;
const IP_AND_UDP_HEADER_BYTES = 28;
const HEADER_BYTES = 240;

export type EncodedPacket =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** Codes of options that found no room within the client's maximum message size. */
      readonly droppedOptions: readonly number[];
    }
  | {
      readonly ok: false;
      readonly error: { readonly code: string; readonly field: string; readonly message: string };
    };

/**
 * Writes one DHCPv4 message: options ascending with relay agent information (82) last, long ones split (RFC 3396), at
 * least 300 bytes. `maximumMessageBytes` is the client's option 57 (IP and UDP headers included, as ISC dhcpd reads it);
 * below 576 it counts as 576. What does not fit goes into file, then sname (option 52) where those are empty, the
 * options a client cannot do without first; the rest is dropped and reported. Fails when serverName (63 bytes) or
 * bootFile (127 bytes) passes its field.
 */
export function encodePacket(
  packet: DhcpPacket,
  limits: { maximumMessageBytes?: number } = {},
): EncodedPacket {
  const serverName = encodeUtf8(packet.serverName);
  const bootFile = encodeUtf8(packet.bootFile);
  // One byte less than the field: readers expect a terminating NUL.
  if (serverName.length >= SERVER_NAME_BYTES)
    return tooLong('serverName', serverName.length, SERVER_NAME_BYTES - 1);
  if (bootFile.length >= BOOT_FILE_BYTES) return tooLong('bootFile', bootFile.length, BOOT_FILE_BYTES - 1);

  const datagramBytes = Math.max(limits.maximumMessageBytes ?? 0, DATAGRAM_BYTES_DEFAULT);
  const placement = placeOptions(optionValuesOf(packet), {
    options: datagramBytes - IP_AND_UDP_HEADER_BYTES - HEADER_BYTES,
    bootFile: bootFile.length === 0 ? BOOT_FILE_BYTES : 0,
    serverName: serverName.length === 0 ? SERVER_NAME_BYTES : 0,
  });
  return {
    ok: true,
    bytes: writePacket(packet, placement, { serverName, bootFile }),
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
  for (const [name, value] of Object.entries(packet.options)) {
    if (name === 'other' || value === undefined) continue;
    const { code } = optionTable[name as OptionName];
    const bytes = optionByCode.get(code)?.codec.encode(value) ?? new Uint8Array();
    // An empty value is forbidden (RFC 2132 gives every option a least length); only 97 is seen empty.
    if (bytes.length > 0 || code === optionTable.clientMachineIdentifier.code) values.push({ code, bytes });
  }
  return [...values, ...(packet.options.other ?? [])];
}

function writePacket(
  packet: DhcpPacket,
  placement: Placement,
  header: { readonly serverName: Uint8Array; readonly bootFile: Uint8Array },
): Uint8Array {
  const overload = (placement.bootFile.length > 0 ? 1 : 0) | (placement.serverName.length > 0 ? 2 : 0);
  const optionBytes = placement.options.length + placement.relay.length + (overload === 0 ? 0 : 3) + 1;
  const writer = new ByteWriter(Math.max(PACKET_BYTES_MIN, HEADER_BYTES + optionBytes));
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
  writer.padded((overload & 2) === 0 ? header.serverName : ended(placement.serverName), SERVER_NAME_BYTES);
  writer.padded((overload & 1) === 0 ? header.bootFile : ended(placement.bootFile), BOOT_FILE_BYTES);
  writer.uint32(MAGIC_COOKIE);
  writer.bytes(placement.options);
  if (overload !== 0) writer.bytes(Uint8Array.of(OVERLOAD, 1, overload));
  writer.bytes(placement.relay);
  writer.uint8(END);
  writer.zeros(writer.remaining);
  return writer.finish();
}

function ended(options: Uint8Array): Uint8Array {
  const field = new Uint8Array(options.length + 1);
  field.set(options);
  field[options.length] = END;
  return field;
}
