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
const PORTS = 65_536;
/** Peers whose addresses are kept as text and as numbers: a rack's, and no more of a flood's. */
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
  // Three arguments each, and results that fit a number: calls with more arguments or a bigint take Node three times as long.
  const { functions } = dlopen(null, {
    sendmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i32' },
    recvmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i32' },
  });
  const outgoing = outgoingMessage(getRawPointer);
  const incoming = incomingMessage(getRawPointer);
  return {
    send(fd, message) {
      outgoing.set(message);
      return functions.sendmsg(fd, outgoing.pointer, MSG_DONTWAIT) >= 0;
    },
    receive(fd) {
      incoming.reset();
      const length = functions.recvmsg(fd, incoming.pointer, MSG_DONTWAIT);
      return length < 0 ? undefined : incoming.datagram(length);
    },
  };
}

type PointerOf = (bytes: Uint8Array) => bigint;

/** Memory of a C structure: never moved, so its address is good as long as it is referred to. */
function structure(lengthBytes: number) {
  const buffer = new ArrayBuffer(lengthBytes);
  return { bytes: new Uint8Array(buffer), view: new DataView(buffer) };
}

/** struct msghdr with one name and one buffer. */
function messageHeader(pointerOf: PointerOf) {
  const header = structure(MSGHDR.bytes);
  const name = structure(SOCKADDR.bytes);
  const vector = structure(16);
  header.view.setBigUint64(MSGHDR.name, pointerOf(name.bytes), true);
  header.view.setUint32(MSGHDR.nameBytes, SOCKADDR.bytes, true);
  header.view.setBigUint64(MSGHDR.vector, pointerOf(vector.bytes), true);
  header.view.setUint32(MSGHDR.vectors, 1, true);
  return { header: header.view, name: name.view, vector: vector.view, pointer: pointerOf(header.bytes) };
}

/** For several segments, a control message says their size. */
function outgoingMessage(pointerOf: PointerOf) {
  const { header, name, vector, pointer } = messageHeader(pointerOf);
  const control = structure(CMSG.bytes);
  const addressOf = boundedMemory(numberOfAddress);
  /** Where the bytes of the last send are: most are sent from the same memory, and asking for its address takes a call. */
  let memory: ArrayBufferLike | undefined;
  let memoryPointer = 0n;
  name.setUint16(0, AF_INET, true);
  control.view.setUint32(CMSG.length, CMSG_LENGTH, true);
  control.view.setInt32(CMSG.level, SOL_UDP, true);
  control.view.setInt32(CMSG.type, UDP_SEGMENT, true);
  header.setBigUint64(MSGHDR.control, pointerOf(control.bytes), true);
  return {
    pointer,
    set({ bytes, segmentBytes, to }: { bytes: Uint8Array; segmentBytes: number; to: UdpAddress }): void {
      name.setUint16(SOCKADDR.port, to.port);
      name.setUint32(SOCKADDR.address, addressOf(to.address));
      if (bytes.buffer !== memory) {
        memory = bytes.buffer;
        memoryPointer = pointerOf(new Uint8Array(memory));
      }
      vector.setBigUint64(0, memoryPointer + BigInt(bytes.byteOffset), true);
      vector.setUint32(8, bytes.length, true);
      const isCut = bytes.length > segmentBytes;
      if (isCut) control.view.setUint16(CMSG.data, segmentBytes, true);
      header.setUint32(MSGHDR.controlBytes, isCut ? CMSG.bytes : 0, true);
    },
  };
}

/** Where recvmsg writes: one datagram, and who sent it. */
function incomingMessage(pointerOf: PointerOf) {
  const { header, name, vector, pointer } = messageHeader(pointerOf);
  const memory = structure(DATAGRAM_BYTES_MAX).bytes;
  const peerOf = boundedMemory(peerOfNumber);
  vector.setBigUint64(0, pointerOf(memory), true);
  vector.setUint32(8, DATAGRAM_BYTES_MAX, true);
  let bytes = memory;
  return {
    pointer,
    /** Referred to by the header alone, which the garbage collector does not read. */
    vector,
    reset: () => header.setUint32(MSGHDR.nameBytes, SOCKADDR.bytes, true),
    datagram(length: number): ReceivedDatagram {
      if (bytes.length !== length) bytes = memory.subarray(0, length);
      const number = name.getUint32(SOCKADDR.address) * PORTS + name.getUint16(SOCKADDR.port);
      return { bytes, peer: peerOf(number) };
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

/** `number`: address and port. */
function peerOfNumber(number: number): UdpAddress {
  const address = Math.floor(number / PORTS);
  const parts = [address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff];
  return { address: parts.join('.'), port: number % PORTS };
}
