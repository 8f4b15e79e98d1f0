/** Reads, builds and filters Ethernet frames that carry IPv4 and UDP. */
import type { SeenDatagram, UdpAddress } from '@tinkerbell/platform-contract';
import { IPV4_UDP_HEADER_BYTES, writeIpv4UdpPacket } from './ipv4-udp-packet.ts';

export const ETHERTYPE_IPV4 = 0x0800;
const ETHERNET_HEADER_BYTES = 14;
const MAC_BYTES = 6;
const UDP_HEADER_BYTES = 8;
const PROTOCOL_UDP = 17;
const BROADCAST_OCTET = 0xff;

/** Returns undefined for anything but a whole UDP datagram. Checksums are not verified. */
export function readUdpFrame(frame: Uint8Array): SeenDatagram | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const ip = ETHERNET_HEADER_BYTES;
  if (frame.length < ip + IPV4_UDP_HEADER_BYTES || view.getUint16(2 * MAC_BYTES) !== ETHERTYPE_IPV4)
    return undefined;
  const udp = ip + (view.getUint8(ip) & 15) * 4;
  if (view.getUint8(ip) >> 4 !== 4 || udp < ip + 20 || udp + UDP_HEADER_BYTES > frame.length)
    return undefined;
  const isFragment = (view.getUint16(ip + 6) & 0x3fff) !== 0;
  const end = udp + view.getUint16(udp + 4);
  if (
    isFragment ||
    view.getUint8(ip + 9) !== PROTOCOL_UDP ||
    end > frame.length ||
    end < udp + UDP_HEADER_BYTES
  )
    return undefined;
  const addressAt = (at: number, port: number): UdpAddress => ({
    address: [...frame.subarray(at, at + 4)].join('.'),
    port: view.getUint16(port),
  });
  return {
    bytes: frame.subarray(udp + UDP_HEADER_BYTES, end),
    fromMac: macText(frame.subarray(MAC_BYTES, 2 * MAC_BYTES)),
    from: addressAt(ip + 12, udp),
    to: addressAt(ip + 16, udp + 2),
  };
}

function macText(bytes: Uint8Array): string {
  return [...bytes].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}

/** Builds a broadcast frame. */
export function broadcastUdpFrame(
  payload: Uint8Array,
  { fromMac, from, to }: { readonly fromMac: string; readonly from: UdpAddress; readonly to: UdpAddress },
): Uint8Array {
  const frame = new Uint8Array(ETHERNET_HEADER_BYTES + IPV4_UDP_HEADER_BYTES + payload.length);
  frame.fill(BROADCAST_OCTET, 0, MAC_BYTES);
  for (const [index, octet] of fromMac.split(':').entries())
    frame[MAC_BYTES + index] = Number.parseInt(octet, 16);
  new DataView(frame.buffer).setUint16(2 * MAC_BYTES, ETHERTYPE_IPV4);
  writeIpv4UdpPacket(frame.subarray(ETHERNET_HEADER_BYTES), { from, to, payload });
  return frame;
}

/** Instructions of the classic packet filter: the code, and what it does. */
const LOAD_BYTE = 0x30;
const LOAD_HALF = 0x28;
const LOAD_HALF_INDEXED = 0x48;
const LOAD_IP_HEADER_LENGTH = 0xb1;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const WHOLE_PACKET = 0xffff;
const FRAGMENT_BITS = 0x3fff;

/** Returns the filter program that accepts UDP to these ports, at most 100 (jumps reach 255), in unfragmented IPv4 frames. */
export function udpPortFilter(ports: readonly number[]): Uint8Array {
  const refuse = 6 + ports.length;
  const from = (index: number, target: number): number => target - index - 1;
  const instructions: readonly (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = [
    [LOAD_BYTE, 0, 0, ETHERNET_HEADER_BYTES + 9],
    [JUMP_IF_EQUAL, 0, from(1, refuse), PROTOCOL_UDP],
    [LOAD_HALF, 0, 0, ETHERNET_HEADER_BYTES + 6],
    [JUMP_IF_ANY_BIT, from(3, refuse), 0, FRAGMENT_BITS],
    [LOAD_IP_HEADER_LENGTH, 0, 0, ETHERNET_HEADER_BYTES],
    [LOAD_HALF_INDEXED, 0, 0, ETHERNET_HEADER_BYTES + 2],
    ...ports.map((port, index) => [JUMP_IF_EQUAL, from(6 + index, refuse + 1), 0, port] as const),
    [RETURN, 0, 0, 0],
    [RETURN, 0, 0, WHOLE_PACKET],
  ];
  const view = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    view.setUint16(8 * index, code, true);
    view.setUint8(8 * index + 2, ifTrue);
    view.setUint8(8 * index + 3, ifFalse);
    view.setUint32(8 * index + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}
