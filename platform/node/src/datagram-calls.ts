/**
 * Datagrams by system call, for what Node's own sockets do too slowly: a send that is done when it returns, many datagrams in
 * one send, and taking what already waits without a turn of the event loop for each. Linux, IPv4.
 */
import type { UdpAddress } from '@tinkerbell/platform-contract';
import { withoutFfiWarning } from './c-library.ts';

const AF_INET = 2;
const SOL_UDP = 17;
const UDP_SEGMENT = 103;
const MSG_DONTWAIT = 0x40;
/** What the kernel cuts at most from one buffer (UDP_MAX_SEGMENTS), and the largest UDP payload. */
export const SEGMENTS_MAX = 64;
export const SEGMENTED_BYTES_MAX = 65_507;
const DATAGRAM_BYTES_MAX = 65_536;
/** Peers whose addresses are kept as text and as bytes: a rack's, and no more of a flood's. */
const KNOWN_ADDRESSES_MAX = 4_096;

/** Offsets in C structures of 64-bit Linux. */
const SOCKADDR = { bytes: 16, port: 2, address: 4 } as const;
const MSGHDR = { bytes: 56, name: 0, nameBytes: 8, vector: 16, vectors: 24, control: 32, controlBytes: 40 };
const CMSG = { bytes: 24, length: 0, level: 8, type: 12, data: 16 } as const;
const CMSG_LENGTH = 18;

export interface ReceivedDatagram {
  /** Valid until the next call. */
  readonly bytes: Uint8Array;
  readonly peer: UdpAddress;
}

export interface DatagramCalls {
  /** True when the kernel has taken the bytes, as datagrams of `segmentBytes`; false on any failure, and then it took none. */
  send(fd: number, message: { bytes: Uint8Array; segmentBytes: number; to: UdpAddress }): boolean;
  /** What waits on the socket; undefined when nothing does. Never waits. */
  receive(fd: number): ReceivedDatagram | undefined;
}

let loaded: Promise<DatagramCalls | undefined> | undefined;

/** Undefined where there is no Linux on 64 bits or no FFI. */
export function datagramCalls(): Promise<DatagramCalls | undefined> {
  const isSupported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  loaded ??= isSupported ? load().catch(() => undefined) : Promise.resolve(undefined);
  return loaded;
}

async function load(): Promise<DatagramCalls> {
  const { dlopen, getRawPointer } = await withoutFfiWarning(() => import('node:ffi'));
  const { functions } = dlopen(null, {
    sendmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i64' },
    recvfrom: { arguments: ['i32', 'pointer', 'u64', 'i32', 'pointer', 'pointer'], return: 'i64' },
  });
  const outgoing = outgoingMessage(getRawPointer);
  const incoming = incomingMessage(getRawPointer);
  return {
    send(fd, message) {
      outgoing.set(message);
      return functions.sendmsg(fd, outgoing.pointer, MSG_DONTWAIT) >= 0n;
    },
    receive(fd) {
      incoming.reset();
      const { pointers } = incoming;
      const length = functions.recvfrom(
        fd,
        pointers.bytes,
        BigInt(DATAGRAM_BYTES_MAX),
        MSG_DONTWAIT,
        pointers.name,
        pointers.nameBytes,
      );
      return length < 0n ? undefined : incoming.datagram(Number(length));
    },
  };
}

type PointerOf = (bytes: Uint8Array) => bigint;

/** struct msghdr with one buffer and, for several segments, the control message that says their size. */
function outgoingMessage(pointerOf: PointerOf) {
  const name = Buffer.alloc(SOCKADDR.bytes);
  const vector = Buffer.alloc(16);
  const control = Buffer.alloc(CMSG.bytes);
  const header = Buffer.alloc(MSGHDR.bytes);
  const addressOf = boundedMemory(numberOfAddress);
  name.writeUInt16LE(AF_INET, 0);
  control.writeBigUInt64LE(BigInt(CMSG_LENGTH), CMSG.length);
  control.writeInt32LE(SOL_UDP, CMSG.level);
  control.writeInt32LE(UDP_SEGMENT, CMSG.type);
  header.writeBigUInt64LE(pointerOf(name), MSGHDR.name);
  header.writeUInt32LE(SOCKADDR.bytes, MSGHDR.nameBytes);
  header.writeBigUInt64LE(pointerOf(vector), MSGHDR.vector);
  header.writeBigUInt64LE(1n, MSGHDR.vectors);
  header.writeBigUInt64LE(pointerOf(control), MSGHDR.control);
  return {
    pointer: pointerOf(header),
    set({ bytes, segmentBytes, to }: { bytes: Uint8Array; segmentBytes: number; to: UdpAddress }): void {
      name.writeUInt16BE(to.port, SOCKADDR.port);
      name.writeUInt32BE(addressOf(to.address), SOCKADDR.address);
      vector.writeBigUInt64LE(pointerOf(bytes), 0);
      vector.writeUInt32LE(bytes.length, 8);
      const isCut = bytes.length > segmentBytes;
      if (isCut) control.writeUInt16LE(segmentBytes, CMSG.data);
      header.writeUInt32LE(isCut ? CMSG.bytes : 0, MSGHDR.controlBytes);
    },
  };
}

/** Where recvfrom writes: one datagram, and who sent it. */
function incomingMessage(pointerOf: PointerOf) {
  const bytes = new Uint8Array(DATAGRAM_BYTES_MAX);
  const name = Buffer.alloc(SOCKADDR.bytes);
  const nameBytes = Buffer.alloc(4);
  const textOf = boundedMemory(textOfAddress);
  return {
    pointers: { bytes: pointerOf(bytes), name: pointerOf(name), nameBytes: pointerOf(nameBytes) },
    reset: () => void nameBytes.writeUInt32LE(SOCKADDR.bytes),
    datagram(length: number): ReceivedDatagram {
      const address = textOf(name.readUInt32BE(SOCKADDR.address));
      return { bytes: bytes.subarray(0, length), peer: { address, port: name.readUInt16BE(SOCKADDR.port) } };
    },
  };
}

function boundedMemory<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      if (known.size >= KNOWN_ADDRESSES_MAX) known.clear();
      value = compute(key);
      known.set(key, value);
    }
    return value;
  };
}

function numberOfAddress(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

function textOfAddress(number: number): string {
  return [number >>> 24, (number >>> 16) & 0xff, (number >>> 8) & 0xff, number & 0xff].join('.');
}
