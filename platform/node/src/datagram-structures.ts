/**
 * Memory of the C structures that sendmsg, recvmsg and their plural forms take, on 64-bit Linux, where all processors are
 * little-endian. IPv4. Values are written as 32-bit numbers, which are faster than larger ones.
 */
import type { DatagramRun, UdpAddress, UdpPeer } from '@tinkerbell/platform-contract';
import { addressWordOf, peerFrom, portWordOf } from './known-peer.ts';
import { AF_INET } from './socket-numbers.ts';

/** The number of messages in one call. */
export const BATCH = 64;

const SOL_UDP = 17;
const UDP_SEGMENT = 103;
const WORD = 2 ** 32;

/** Lengths and offsets are in 32-bit words, and `half` counts 16-bit units. */
const SOCKADDR = { words: 4, address: 1, halfFamily: 0, halfPort: 1 } as const;
const VECTOR = { words: 4, base: 0, length: 2 } as const;
const HEADER = {
  words: 16,
  name: 0,
  nameBytes: 2,
  vectors: 4,
  vectorCount: 6,
  control: 8,
  controlBytes: 10,
  sent: 14,
} as const;
const CONTROL = { words: 6, length: 0, level: 2, type: 3, data: 4, bytesUsed: 18 } as const;
const WORD_BYTES = 4;

export type PointerOf = (bytes: Uint8Array) => bigint;

/**
 * An array of struct mmsghdr, each with one address and one control message, and of struct iovec, which they share. The first
 * member of a struct mmsghdr is a struct msghdr: the calls for one message take the same memory.
 */
export class MessageArray {
  readonly #headers: Int32Array;
  readonly #names: Int32Array;
  readonly #halvesOfNames: Uint16Array;
  readonly #vectors: Int32Array;
  readonly #controls: Int32Array;
  readonly #pointer: bigint;
  readonly #vectorsAt: number;
  readonly #messageCount: number;
  readonly #vectorCount: number;
  #count = 0;
  #usedVectors = 0;

  constructor(messageCount: number, vectorCount: number, pointerOf: PointerOf) {
    // Separate buffers that never move, because the kernel gets their addresses. The addresses are valid as
    // long as this object is referenced.
    const memory = (count: number, words: number) =>
      new Int32Array(new ArrayBuffer(count * words * WORD_BYTES));
    const addressOf = ({ buffer }: Int32Array) => pointerOf(new Uint8Array(buffer));
    this.#messageCount = messageCount;
    this.#vectorCount = vectorCount;
    this.#headers = memory(messageCount, HEADER.words);
    this.#names = memory(messageCount, SOCKADDR.words);
    this.#halvesOfNames = new Uint16Array(this.#names.buffer);
    this.#vectors = memory(vectorCount, VECTOR.words);
    this.#controls = memory(messageCount, CONTROL.words);
    this.#pointer = addressOf(this.#headers);
    this.#vectorsAt = Number(addressOf(this.#vectors));
    const [namesAt, controlsAt] = [Number(addressOf(this.#names)), Number(addressOf(this.#controls))];
    for (let index = 0; index < messageCount; index += 1) {
      const [header, control] = [index * HEADER.words, index * CONTROL.words];
      writePointer(this.#headers, header + HEADER.name, namesAt + index * SOCKADDR.words * WORD_BYTES);
      writePointer(this.#headers, header + HEADER.control, controlsAt + control * WORD_BYTES);
      this.#halvesOfNames[index * SOCKADDR.words * 2 + SOCKADDR.halfFamily] = AF_INET;
      this.#controls[control + CONTROL.length] = CONTROL.bytesUsed;
      this.#controls[control + CONTROL.level] = SOL_UDP;
      this.#controls[control + CONTROL.type] = UDP_SEGMENT;
      this.expectName(index);
    }
  }

  pointerAt(index: number): bigint {
    return index === 0 ? this.#pointer : this.#pointer + BigInt(index * HEADER.words * WORD_BYTES);
  }

  /** One buffer to receive into. */
  setBuffer(index: number, pointer: number, lengthBytes: number): void {
    this.#setVectors(index, index, 1);
    this.#setVector(index, pointer, lengthBytes);
  }

  /** The number of appended messages. */
  get count(): number {
    return this.#count;
  }

  /** True if there is room for another run of this many datagrams. */
  hasRoomFor(datagrams: number): boolean {
    const vectors = this.#usedVectors + 2 * datagrams;
    return this.#count < this.#messageCount && vectors <= this.#vectorCount;
  }

  clear(): void {
    this.#count = this.#usedVectors = 0;
  }

  /** Appends one message: the run whose heads and body are at these pointers. Addresses have 52 bits at most and fit a number. */
  append(run: DatagramRun, headsAt: number, bodyAt: number): void {
    const { count, headBytes, offset, length, pieceBytes } = run;
    const index = this.#count;
    const first = this.#usedVectors;
    let vector = first;
    for (let piece = 0; piece < count; piece += 1) {
      this.#setVector(vector, headsAt + piece * headBytes, headBytes);
      vector += 1;
      const from = piece * pieceBytes;
      const bytes = Math.min(pieceBytes, length - from);
      if (bytes <= 0) continue;
      this.#setVector(vector, bodyAt + offset + from, bytes);
      vector += 1;
    }
    this.#setVectors(index, first, vector - first);
    this.#usedVectors = vector;
    this.#count = index + 1;
    // For several datagrams, the control message gives the segment size.
    if (count > 1) this.#controls[index * CONTROL.words + CONTROL.data] = headBytes + pieceBytes;
    this.#headers[index * HEADER.words + HEADER.controlBytes] = count > 1 ? CONTROL.words * WORD_BYTES : 0;
  }

  /** Sets the destination of the message that was appended last. */
  addressLast(to: UdpAddress): void {
    const index = this.#count - 1;
    this.#halvesOfNames[index * SOCKADDR.words * 2 + SOCKADDR.halfPort] = portWordOf(to);
    this.#names[index * SOCKADDR.words + SOCKADDR.address] = addressWordOf(to);
  }

  /** The kernel overwrites the length of the address buffer. */
  expectName(index: number): void {
    this.#headers[index * HEADER.words + HEADER.nameBytes] = SOCKADDR.words * WORD_BYTES;
  }

  /** Returns the number of bytes of this message after a call for several messages. */
  transferred(index: number): number {
    return this.#headers[index * HEADER.words + HEADER.sent] ?? 0;
  }

  peerAt(index: number): UdpPeer {
    const address = this.#names[index * SOCKADDR.words + SOCKADDR.address] ?? 0;
    return peerFrom(address, this.#halvesOfNames[index * SOCKADDR.words * 2 + SOCKADDR.halfPort] ?? 0);
  }

  #setVectors(index: number, first: number, count: number): void {
    const header = index * HEADER.words;
    writePointer(this.#headers, header + HEADER.vectors, this.#vectorsAt + first * VECTOR.words * WORD_BYTES);
    this.#headers[header + HEADER.vectorCount] = count;
  }

  #setVector(vector: number, pointer: number, lengthBytes: number): void {
    const at = vector * VECTOR.words;
    writePointer(this.#vectors, at + VECTOR.base, pointer);
    this.#vectors[at + VECTOR.length] = lengthBytes;
  }
}

function writePointer(words: Int32Array, at: number, pointer: number): void {
  words[at] = pointer | 0;
  words[at + 1] = Math.floor(pointer / WORD);
}
