import type { Datagram, UdpPeer } from '@tinkerbell/platform-contract';
import { BATCH } from './datagram-structures.ts';
import { DATAGRAM_BYTES_MAX } from './incoming-batch.ts';

type Receiver = (datagram: Datagram) => void;

/** More than one turn can handle; what is beyond it waits in the kernel. */
const KEPT_MAX = 1024;
const KEPT_BYTES_MAX = 512 * 1024;

/**
 * Datagrams that were received and wait for their turn, first in, first out. They wait through collections of the young
 * generation: objects made for each would be moved to the old one, a flood's worth of them, and stay there as garbage for long.
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

  /** For all that one more call may receive. */
  get hasRoom(): boolean {
    return this.#end + BATCH <= KEPT_MAX && (this.#starts[this.#end] ?? 0) <= KEPT_BYTES_MAX;
  }

  /** Its bytes are copied. */
  keep(receiver: Receiver, { bytes, peer }: Datagram): void {
    const start = this.#starts[this.#end] ?? 0;
    this.#memory.set(bytes, start);
    this.#receivers[this.#end] = receiver;
    this.#peers[this.#end] = peer;
    this.#end += 1;
    this.#starts[this.#end] = start + bytes.length;
  }

  /** Gives the first one to its receiver. */
  handOut(): void {
    const at = this.#first;
    const [receiver, peer] = [this.#receivers[at], this.#peers[at]];
    const bytes = this.#memory.subarray(this.#starts[at], this.#starts[at + 1]);
    this.#first += 1;
    // Nothing is kept while receivers are called, so that the bytes stay as they are.
    if (this.isEmpty) this.#first = this.#end = 0;
    if (peer !== undefined) receiver?.({ bytes, peer, networkInterface: undefined });
  }
}
