/** Memory of the C structures that sendmsg, recvmsg and their plural forms take, on 64-bit Linux. IPv4. */
import type { UdpAddress, UdpPeer } from '@tinkerbell/platform-contract';

const AF_INET = 2;
const SOL_UDP = 17;
const UDP_SEGMENT = 103;
const WORD = 2 ** 32;
/** Addresses that are kept as numbers: a rack's, and no more of a flood's. */
const KNOWN_ADDRESSES_MAX = 4_096;
/** Peers that are kept, a power of two. Each has one place, and two at the same place forget each other. */
const PEER_PLACES = 16_384;

/** Lengths and offsets in bytes. */
const SOCKADDR = { bytes: 16, port: 2, address: 4 } as const;
const VECTOR = { bytes: 16, base: 0, length: 8 } as const;
const HEADER = { bytes: 64, nameBytes: 8, vector: 16, vectors: 24, control: 32, controlBytes: 40, sent: 56 };
const CONTROL = { bytes: 24, length: 0, level: 8, type: 12, data: 16 } as const;
const CONTROL_LENGTH = 18;

export type PointerOf = (bytes: Uint8Array) => bigint;

export interface OutgoingDatagrams {
  readonly bytes: Uint8Array;
  /** Cut into datagrams of so many bytes, the last one may be shorter. */
  readonly segmentBytes: number;
  readonly to: UdpAddress;
}

export interface ReceivedDatagram {
  /** Valid until the next call. */
  readonly bytes: Uint8Array;
  readonly peer: UdpPeer;
}

/**
 * An array of struct mmsghdr, each with one address, one buffer and one control message. The first member of a struct mmsghdr is a
 * struct msghdr: the calls for one message take the same memory.
 */
export class MessageArray {
  readonly #headers: DataView;
  readonly #names: DataView;
  readonly #vectors: DataView;
  readonly #controls: DataView;
  readonly #pointer: bigint;

  constructor(count: number, pointerOf: PointerOf) {
    // Of their own, never moved: the kernel gets the addresses, which are good as long as this object is referred to.
    const memory = (bytes: number) => new DataView(new ArrayBuffer(count * bytes));
    const addressOf = ({ buffer }: DataView) => pointerOf(new Uint8Array(buffer));
    this.#headers = memory(HEADER.bytes);
    this.#names = memory(SOCKADDR.bytes);
    this.#vectors = memory(VECTOR.bytes);
    this.#controls = memory(CONTROL.bytes);
    this.#pointer = addressOf(this.#headers);
    for (let index = 0; index < count; index += 1) {
      const [header, control] = [index * HEADER.bytes, index * CONTROL.bytes];
      const place = (offset: number, view: DataView, bytes: number) =>
        this.#headers.setBigUint64(header + offset, addressOf(view) + BigInt(index * bytes), true);
      place(0, this.#names, SOCKADDR.bytes);
      place(HEADER.vector, this.#vectors, VECTOR.bytes);
      place(HEADER.control, this.#controls, CONTROL.bytes);
      this.#headers.setUint32(header + HEADER.vectors, 1, true);
      this.#names.setUint16(index * SOCKADDR.bytes, AF_INET, true);
      this.#controls.setUint32(control + CONTROL.length, CONTROL_LENGTH, true);
      this.#controls.setInt32(control + CONTROL.level, SOL_UDP, true);
      this.#controls.setInt32(control + CONTROL.type, UDP_SEGMENT, true);
      this.expectName(index);
    }
  }

  pointerAt(index: number): bigint {
    return index === 0 ? this.#pointer : this.#pointer + BigInt(index * HEADER.bytes);
  }

  /** `pointer` as a number: addresses of a program have 47 bits on x86-64, 52 at most on ARM, and integers of 64 bits are slow. */
  setBuffer(index: number, pointer: number, lengthBytes: number): void {
    const vector = index * VECTOR.bytes;
    this.#vectors.setUint32(vector, pointer >>> 0, true);
    this.#vectors.setUint32(vector + 4, Math.floor(pointer / WORD), true);
    this.#vectors.setUint32(vector + VECTOR.length, lengthBytes, true);
  }

  /** For several segments, the control message says their size. */
  setDestination(index: number, { bytes, segmentBytes, to }: OutgoingDatagrams): void {
    const name = index * SOCKADDR.bytes;
    this.#names.setUint16(name + SOCKADDR.port, to.port);
    this.#names.setUint32(name + SOCKADDR.address, to instanceof KnownPeer ? to.bits : numberOf(to.address));
    const isCut = bytes.length > segmentBytes;
    if (isCut) this.#controls.setUint16(index * CONTROL.bytes + CONTROL.data, segmentBytes, true);
    this.#headers.setUint32(index * HEADER.bytes + HEADER.controlBytes, isCut ? CONTROL.bytes : 0, true);
  }

  /** The kernel writes over how much room there is for an address. */
  expectName(index: number): void {
    this.#headers.setUint32(index * HEADER.bytes + HEADER.nameBytes, SOCKADDR.bytes, true);
  }

  /** Of a call for several messages: how many bytes this one has. */
  transferred(index: number): number {
    return this.#headers.getUint32(index * HEADER.bytes + HEADER.sent, true);
  }

  peerAt(index: number): UdpPeer {
    const name = index * SOCKADDR.bytes;
    return peerOf(this.#names.getInt32(name + SOCKADDR.address), this.#names.getUint16(name + SOCKADDR.port));
  }
}

const numbers = new Map<string, number>();

function numberOf(address: string): number {
  let number = numbers.get(address);
  if (number === undefined) {
    if (numbers.size >= KNOWN_ADDRESSES_MAX) numbers.clear();
    number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    numbers.set(address, number);
  }
  return number;
}

const peers = Array.from<KnownPeer | undefined>({ length: PEER_PLACES });

/** The address as a number of 32 bits with a sign: those are the quick ones. */
function peerOf(bits: number, port: number): KnownPeer {
  const place = (bits ^ Math.imul(port, 0x9e37_79b1)) & (PEER_PLACES - 1);
  const known = peers[place];
  if (known?.bits === bits && known.port === port) return known;
  return (peers[place] = new KnownPeer(bits, port));
}

/** Whom something came from; what is sent there needs no look for the number. */
class KnownPeer implements UdpPeer {
  readonly address: string;
  readonly port: number;
  readonly key: string;
  /** The address as a number, which may be negative. */
  readonly bits: number;

  constructor(bits: number, port: number) {
    this.address = [bits >>> 24, (bits >>> 16) & 0xff, (bits >>> 8) & 0xff, bits & 0xff].join('.');
    this.port = port;
    this.key = `${this.address}:${port}`;
    this.bits = bits;
  }
}
