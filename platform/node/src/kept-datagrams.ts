import type { Datagram, UdpPeer } from '@tinkerbell/platform-contract';
import { BATCH } from './datagram-structures.ts';
import { DATAGRAM_BYTES_MAX } from './incoming-batch.ts';

type Receiver = (datagram: Datagram) => void;

/** More than one turn can handle. Further datagrams wait in the kernel. */
const KEPT_MAX = 1024;
const KEPT_BYTES_MAX = 512 * 1024;

/**
 * Received datagrams that wait for their turn, first in, first out. They survive collections of the young generation: separate
 * objects would be promoted to the old one, a flood's worth of them, and remain there as garbage for long.
 */
export class KeptDatagrams {
  /** Pages that no datagram reached take no memory. */
  readonly #memory = new Uint8Array(new ArrayBuffer(KEPT_BYTES_MAX + BATCH * DATAGRAM_BYTES_MAX));
  readonly #starts = new Uint32Array(KEPT_MAX + 1);
  readonly #receivers: Receiver[] = [];
  readonly #peers: UdpPeer[] = [];
  #first = 0;
  #end = 0;

  get isEmpty(): boolean {
    return this.#first === this.#end;
  }

  /** True if there is room for everything that one more call may receive. */
  get hasRoom(): boolean {
    return this.#end + BATCH <= KEPT_MAX && (this.#starts[this.#end] ?? 0) <= KEPT_BYTES_MAX;
  }

  /** The bytes are copied. */
  keep(receiver: Receiver, { bytes, peer }: Datagram): void {
    const start = this.#starts[this.#end] ?? 0;
    this.#memory.set(bytes, start);
    this.#receivers[this.#end] = receiver;
    this.#peers[this.#end] = peer;
    this.#end += 1;
    this.#starts[this.#end] = start + bytes.length;
  }

  /** Delivers the first datagram to its receiver. */
  handOut(): void {
    const at = this.#first;
    const [receiver, peer] = [this.#receivers[at], this.#peers[at]];
    const bytes = this.#memory.subarray(this.#starts[at], this.#starts[at + 1]);
    this.#first += 1;
    // Nothing is added while receivers run, so that the bytes do not change.
    if (this.isEmpty) this.#first = this.#end = 0;
    if (peer !== undefined) receiver?.({ bytes, peer, networkInterface: undefined });
  }
}
