import type { Datagram } from '@tinkerbell/platform-contract';
import { BATCH, MessageArray, type PointerOf } from './datagram-structures.ts';

export const DATAGRAM_BYTES_MAX = 65_536;
/**
 * The distance between two datagrams. It is not a power of two, because the first bytes of all would then share a few cache
 * lines.
 */
const PLACE_BYTES = DATAGRAM_BYTES_MAX + 192;

/** The buffers that the kernel writes received datagrams to. */
export class IncomingBatch {
  readonly pointer: bigint;
  readonly #messages: MessageArray;
  /** Pages that no datagram reached take no memory. */
  readonly #memory = new Uint8Array(new ArrayBuffer(BATCH * PLACE_BYTES));
  /**
   * The last view of each slot. Most datagrams of a flow are as long as the previous one, and creating a view costs more than
   * reading it.
   */
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

  /** Call it after that many were received, before the addresses of the first ones are read. */
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
