import type { DatagramRun, UdpAddress } from '@tinkerbell/platform-contract';
import { BATCH, MessageArray, type PointerOf } from './datagram-structures.ts';

/** The kernel's segment limit for one message (UDP_MAX_SEGMENTS), and the largest UDP payload. */
export const SEGMENTS_MAX = 64;
export const SEGMENTED_BYTES_MAX = 65_507;

const HEADS_BYTES = 1024 * 1024;
const VECTORS = 1024;
/** Heads up to this size are copied without a call. */
const SHORT_HEADS_BYTES = 16;
/** From this number on, messages are not sent one by one. */
const FEW = 4;

export interface Outgoing {
  /** At most `SEGMENTS_MAX` datagrams. */
  readonly run: DatagramRun;
  readonly to: UdpAddress;
  /** Called with a queued run that could not be sent. */
  readonly unsent: (run: DatagramRun, to: UdpAddress) => void;
}

export interface SendCalls {
  /** 0 or more when the kernel has taken the message. */
  one(fd: number, message: bigint): number;
  /** Returns how many messages the kernel has taken. */
  many(fd: number, messages: bigint, count: number): number;
}

/** The datagrams to send from one socket. */
export class OutgoingBatch {
  readonly #calls: SendCalls;
  readonly #messages: MessageArray;
  readonly #single: MessageArray;
  readonly #memory = new Uint8Array(new ArrayBuffer(HEADS_BYTES));
  readonly #start: number;
  readonly #pointerToHeads: (bytes: Uint8Array) => number;
  readonly #pointerToBody: (bytes: Uint8Array) => number;
  readonly #waiting: (Outgoing | undefined)[] = [];
  /** The positions of the copied heads. The originals may have changed since. */
  readonly #headsAt = new Int32Array(BATCH);
  #fd = -1;
  #usedBytes = 0;

  constructor(pointerOf: PointerOf, calls: SendCalls) {
    this.#calls = calls;
    this.#messages = new MessageArray(BATCH, VECTORS, pointerOf);
    this.#single = new MessageArray(1, 2 * SEGMENTS_MAX, pointerOf);
    this.#start = Number(pointerOf(this.#memory));
    this.#pointerToHeads = pointersIntoMemory(pointerOf);
    this.#pointerToBody = pointersIntoMemory(pointerOf);
  }

  /** Returns true when the kernel has taken the bytes. Returns false on any failure, and then it took none. */
  send(fd: number, { run, to }: Outgoing): boolean {
    this.#single.clear();
    this.#single.append(run, this.#pointerToHeads(run.heads), this.#bodyAt(run));
    this.#single.addressLast(to);
    return this.#calls.one(fd, this.#single.pointerAt(0)) >= 0;
  }

  /**
   * Queues the run, to be sent with others of the same socket at the next `flush` or before it. Returns false when its heads are
   * too many to keep.
   */
  add(fd: number, outgoing: Outgoing): boolean {
    const { run, to } = outgoing;
    const bytes = run.count * run.headBytes;
    if (bytes > HEADS_BYTES) return false;
    const hasRoom = this.#messages.hasRoomFor(run.count) && this.#usedBytes + bytes <= HEADS_BYTES;
    if (fd !== this.#fd || !hasRoom) this.flush();
    this.#fd = fd;
    const headsAt = this.#usedBytes;
    this.#waiting[this.#messages.count] = outgoing;
    this.#headsAt[this.#messages.count] = headsAt;
    this.#copy(run.heads, bytes);
    this.#messages.append(run, this.#start + headsAt, this.#bodyAt(run));
    this.#messages.addressLast(to);
    return true;
  }

  flush(): void {
    const { count } = this.#messages;
    for (let done = 0; done < count;) {
      const sent = this.#sendFrom(done, count - done);
      if (sent === 0) this.#giveBack(done);
      done += Math.max(1, sent);
    }
    this.#waiting.fill(undefined, 0, count);
    this.#messages.clear();
    this.#usedBytes = 0;
  }

  #copy(heads: Uint8Array, bytes: number): void {
    const at = this.#usedBytes;
    this.#usedBytes += bytes;
    if (bytes > SHORT_HEADS_BYTES) {
      this.#memory.set(heads.length === bytes ? heads : heads.subarray(0, bytes), at);
    } else {
      for (let index = 0; index < bytes; index += 1) this.#memory[at + index] = heads[index] ?? 0;
    }
  }

  #bodyAt({ body, length }: DatagramRun): number {
    return length === 0 ? 0 : this.#pointerToBody(body);
  }

  /** Returns how many the kernel took. */
  #sendFrom(first: number, count: number): number {
    const pointer = this.#messages.pointerAt(first);
    if (count > FEW) return Math.max(0, this.#calls.many(this.#fd, pointer, count));
    return this.#calls.one(this.#fd, pointer) >= 0 ? 1 : 0;
  }

  #giveBack(index: number): void {
    const failed = this.#waiting[index];
    if (failed === undefined) return;
    const { run, to, unsent } = failed;
    const headsAt = this.#headsAt[index] ?? 0;
    unsent({ ...run, heads: this.#memory.subarray(headsAt, headsAt + run.count * run.headBytes) }, to);
  }
}

/** Most sends use the same memory, and finding its address takes a call. */
function pointersIntoMemory(pointerOf: PointerOf): (bytes: Uint8Array) => number {
  let memory: ArrayBufferLike | undefined;
  let [start, pointer] = [0, 0];
  let view: Uint8Array | undefined;
  return (bytes) => {
    if (bytes === view) return pointer;
    if (bytes.buffer !== memory) {
      memory = bytes.buffer;
      start = Number(pointerOf(new Uint8Array(memory)));
    }
    view = bytes;
    pointer = start + bytes.byteOffset;
    return pointer;
  };
}
