/**
 * Datagrams by system call, for what Node's own sockets do too slowly: a send that is done when it returns, many datagrams in
 * one call, and taking what already waits without a turn of the event loop for each. Linux, IPv4.
 */
import { withoutFfiWarning } from './c-library.ts';
import {
  MessageArray,
  type OutgoingDatagrams,
  type PointerOf,
  type ReceivedDatagram,
} from './datagram-structures.ts';

const MSG_DONTWAIT = 0x40;
/** What the kernel cuts at most from one buffer (UDP_MAX_SEGMENTS), and the largest UDP payload. */
export const SEGMENTS_MAX = 64;
export const SEGMENTED_BYTES_MAX = 65_507;
export const DATAGRAM_BYTES_MAX = 65_536;
/** Messages in one call. */
export const BATCH = 32;
/** So many take no longer one by one. */
const FEW = 4;
const BATCH_BYTES = 1024 * 1024;

/** What could not be sent. */
type Unsent = (datagrams: OutgoingDatagrams) => void;

export interface DatagramCalls {
  /** True when the kernel has taken the bytes; false on any failure, and then it took none. */
  send(fd: number, datagrams: OutgoingDatagrams): boolean;
  /**
   * The same a little later, with others of the same socket in one call: at the next `flush` or before it. The bytes are copied.
   * False when they are too many to be kept.
   */
  sendLater(fd: number, datagrams: OutgoingDatagrams, unsent: Unsent): boolean;
  flush(): void;
  /** What waits on the socket; undefined when nothing does. Never waits. */
  receive(fd: number): ReceivedDatagram | undefined;
  /** Hands out up to 32 of what waits; how many. */
  receiveMany(fd: number, take: (datagram: ReceivedDatagram) => void): number;
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
  // Calls with three arguments, and results that fit a number, take Node a third of the time of others: for few messages, the singular forms.
  const { functions } = dlopen(null, {
    sendmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i32' },
    recvmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i32' },
    sendmmsg: { arguments: ['i32', 'pointer', 'u32', 'i32'], return: 'i32' },
    recvmmsg: { arguments: ['i32', 'pointer', 'u32', 'i32', 'pointer'], return: 'i32' },
  });
  const single = new MessageArray(1, getRawPointer);
  const pointerIn = pointersIntoMemory(getRawPointer);
  const incoming = new IncomingBatch(getRawPointer);
  const outgoing = new OutgoingBatch(getRawPointer, functions);
  const receive: DatagramCalls['receive'] = (fd) => {
    const length = functions.recvmsg(fd, incoming.pointer, MSG_DONTWAIT);
    if (length < 0) return undefined;
    incoming.expect(1);
    return incoming.at(0, length);
  };
  return {
    send(fd, datagrams) {
      single.setDestination(0, datagrams);
      single.setBuffer(0, pointerIn(datagrams.bytes), datagrams.bytes.length);
      return functions.sendmsg(fd, single.pointerAt(0), MSG_DONTWAIT) >= 0;
    },
    sendLater: (fd, datagrams, unsent) => outgoing.add(fd, datagrams, unsent),
    flush: () => outgoing.flush(),
    receive,
    receiveMany(fd, take) {
      const count = functions.recvmmsg(fd, incoming.pointer, BATCH, MSG_DONTWAIT, 0n);
      incoming.expect(count);
      for (let index = 0; index < count; index += 1) take(incoming.at(index));
      return Math.max(0, count);
    },
  };
}

/** Most sends are from the same memory, and asking for its address takes a call. */
function pointersIntoMemory(pointerOf: PointerOf): (bytes: Uint8Array) => number {
  let memory: ArrayBufferLike | undefined;
  let pointer = 0;
  return (bytes) => {
    if (bytes.buffer !== memory) {
      memory = bytes.buffer;
      pointer = Number(pointerOf(new Uint8Array(memory)));
    }
    return pointer + bytes.byteOffset;
  };
}

/** Where the kernel writes what it received. */
class IncomingBatch {
  readonly pointer: bigint;
  readonly #messages: MessageArray;
  /** Pages that no datagram reached take no memory. */
  readonly #memory = new Uint8Array(new ArrayBuffer(BATCH * DATAGRAM_BYTES_MAX));
  /** What a place had last: most datagrams of a flow are as long as the one before, and to make a view costs more than to read it. */
  readonly #views: Uint8Array[] = [];

  constructor(pointerOf: PointerOf) {
    this.#messages = new MessageArray(BATCH, pointerOf);
    this.pointer = this.#messages.pointerAt(0);
    const start = Number(pointerOf(this.#memory));
    for (let index = 0; index < BATCH; index += 1) {
      this.#messages.setBuffer(index, start + index * DATAGRAM_BYTES_MAX, DATAGRAM_BYTES_MAX);
      this.#views.push(this.#memory.subarray(0, 0));
    }
  }

  /** Call it after that many were received, with the first ones' addresses still to be read. */
  expect(count: number): void {
    for (let index = 0; index < count; index += 1) this.#messages.expectName(index);
  }

  at(index: number, length = this.#messages.transferred(index)): ReceivedDatagram {
    let bytes = this.#views[index];
    if (bytes?.length !== length) {
      const start = index * DATAGRAM_BYTES_MAX;
      bytes = this.#memory.subarray(start, start + length);
      this.#views[index] = bytes;
    }
    return { bytes, peer: this.#messages.peerAt(index) };
  }
}

interface SendCalls {
  sendmsg(fd: number, pointer: bigint, flags: number): number;
  sendmmsg(fd: number, pointer: bigint, count: number, flags: number): number;
}

/** The bytes are a copy, `length` of them `at` an offset of the batch's memory; those of `datagrams` may have changed since. */
interface Waiting {
  readonly at: number;
  readonly length: number;
  readonly datagrams: OutgoingDatagrams;
  readonly unsent: Unsent;
}

/** What is to be sent from one socket. */
class OutgoingBatch {
  readonly #messages: MessageArray;
  readonly #memory = new Uint8Array(new ArrayBuffer(BATCH_BYTES));
  readonly #start: number;
  readonly #calls: SendCalls;
  readonly #waiting: Waiting[] = [];
  #fd = -1;
  #used = 0;

  constructor(pointerOf: PointerOf, calls: SendCalls) {
    this.#messages = new MessageArray(BATCH, pointerOf);
    this.#start = Number(pointerOf(this.#memory));
    this.#calls = calls;
  }

  add(fd: number, datagrams: OutgoingDatagrams, unsent: Unsent): boolean {
    const { bytes } = datagrams;
    if (bytes.length > BATCH_BYTES) return false;
    if (fd !== this.#fd || this.#waiting.length === BATCH || this.#used + bytes.length > BATCH_BYTES)
      this.flush();
    this.#fd = fd;
    const index = this.#waiting.length;
    const at = this.#used;
    this.#memory.set(bytes, at);
    this.#used += bytes.length;
    this.#messages.setDestination(index, datagrams);
    this.#messages.setBuffer(index, this.#start + at, bytes.length);
    this.#waiting.push({ at, length: bytes.length, datagrams, unsent });
    return true;
  }

  flush(): void {
    const count = this.#waiting.length;
    for (let done = 0; done < count;) {
      const sent = this.#send(done, count - done);
      done += sent;
      if (sent > 0) continue;
      const failed = this.#waiting[done];
      done += 1;
      if (failed !== undefined) failed.unsent({ ...failed.datagrams, bytes: this.#bytesOf(failed) });
    }
    this.#waiting.length = 0;
    this.#used = 0;
  }

  /** How many the kernel took. */
  #send(first: number, count: number): number {
    const pointer = this.#messages.pointerAt(first);
    if (count > FEW) return Math.max(0, this.#calls.sendmmsg(this.#fd, pointer, count, MSG_DONTWAIT));
    return this.#calls.sendmsg(this.#fd, pointer, MSG_DONTWAIT) >= 0 ? 1 : 0;
  }

  #bytesOf({ at, length }: Waiting): Uint8Array {
    return this.#memory.subarray(at, at + length);
  }
}
