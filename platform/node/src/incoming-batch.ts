import type { Datagram } from '@tinkerbell/platform-contract';
import { BATCH, MessageArray, type PointerOf } from './datagram-structures.ts';

export const DATAGRAM_BYTES_MAX = 65_536;
/** From one datagram's place to the next. No power of two: the first bytes of all would have to share a few places of the processor's caches. */
const PLACE_BYTES = DATAGRAM_BYTES_MAX + 192;

/** Where the kernel writes what it received. */
export class IncomingBatch {
  readonly pointer: bigint;
  readonly #messages: MessageArray;
  /** Pages that no datagram reached take no memory. */
  readonly #memory = new Uint8Array(new ArrayBuffer(BATCH * PLACE_BYTES));
  /** What a place had last: most datagrams of a flow are as long as the one before, and to make a view costs more than to read it. */
  readonly #views: Uint8Array[] = [];

  constructor(pointerOf: PointerOf) {
    this.#messages = new MessageArray(BATCH, BATCH, pointerOf);
    this.pointer = this.#messages.pointerAt(0);
    const start = Number(pointerOf(this.#memory));
    for (let index = 0; index < BATCH; index += 1) {
      this.#messages.setBuffer(index, start + index * PLACE_BYTES, DATAGRAM_BYTES_MAX);
      this.#views.push(this.#memory.subarray(0, 0));
    }
  }

  /** Call it after that many were received, with the first ones' addresses still to be read. */
  expect(count: number): void {
    for (let index = 0; index < count; index += 1) this.#messages.expectName(index);
  }

  /** Valid until the next call to the kernel. */
  at(index: number, length = this.#messages.transferred(index)): Datagram {
    let bytes = this.#views[index];
    if (bytes?.length !== length) {
      const start = index * PLACE_BYTES;
      bytes = this.#memory.subarray(start, start + length);
      this.#views[index] = bytes;
    }
    return { bytes, peer: this.#messages.peerAt(index), networkInterface: undefined };
  }
}
