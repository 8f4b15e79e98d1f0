/** IPv4 packets built by hand, for frames that no UDP socket can send. */
import type { UdpAddress } from '@tinkerbell/platform-contract';

const IPV4_HEADER_BYTES = 20;
const UDP_HEADER_BYTES = 8;
/** The headers before the payload. */
export const IPV4_UDP_HEADER_BYTES = IPV4_HEADER_BYTES + UDP_HEADER_BYTES;
const VERSION_AND_HEADER_WORDS = 0x45;
const TIME_TO_LIVE = 64;
const PROTOCOL_UDP = 17;

/**
 * Writes an IPv4 packet (RFC 791, no options) with one UDP datagram (RFC 768) to the front of `packet` and returns its
 * length in bytes. Both checksums are set. Every byte up to that length is written, so that `packet` may be reused.
 */
export function writeIpv4UdpPacket(
  packet: Uint8Array,
  { from, to, payload }: { from: UdpAddress; to: UdpAddress; payload: Uint8Array },
): number {
  const udpBytes = UDP_HEADER_BYTES + payload.length;
  const totalBytes = IPV4_HEADER_BYTES + udpBytes;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  packet.fill(0, 0, IPV4_UDP_HEADER_BYTES);
  view.setUint8(0, VERSION_AND_HEADER_WORDS);
  view.setUint16(2, totalBytes);
  view.setUint8(8, TIME_TO_LIVE);
  view.setUint8(9, PROTOCOL_UDP);
  writeAddress(view, 12, from.address);
  writeAddress(view, 16, to.address);
  view.setUint16(10, checksum(wordSum(packet, 0, IPV4_HEADER_BYTES)));

  view.setUint16(20, from.port);
  view.setUint16(22, to.port);
  view.setUint16(24, udpBytes);
  packet.set(payload, IPV4_UDP_HEADER_BYTES);
  // The pseudo header: both addresses, protocol and length.
  const pseudo = wordSum(packet, 12, IPV4_HEADER_BYTES) + PROTOCOL_UDP + udpBytes;
  const sum = checksum(pseudo + wordSum(packet, IPV4_HEADER_BYTES, totalBytes));
  // Zero would mean that there is no checksum.
  view.setUint16(26, sum === 0 ? 0xffff : sum);
  return totalBytes;
}

function writeAddress(view: DataView, at: number, address: string): void {
  for (const [index, octet] of address.split('.').entries()) view.setUint8(at + index, Number(octet));
}

/**
 * Returns the sum of big-endian 16-bit words. An odd last byte counts as if a zero followed. Exact below
 * 2^53.
 */
function wordSum(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 2) {
    sum += ((bytes[at] ?? 0) << 8) | (at + 1 < to ? (bytes[at + 1] ?? 0) : 0);
  }
  return sum;
}

/** RFC 1071: the complement of the sum with its carries added. */
function checksum(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded & 0xffff) + Math.floor(folded / 0x1_0000);
  return ~folded & 0xffff;
}
