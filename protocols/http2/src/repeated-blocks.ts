import type { Fields } from './message-fields.ts';

/** Header fields and trailers, or requests of two methods. */
const BLOCKS_MAX = 2;
/** A request with a token that the client does not let into the table. */
const BLOCK_BYTES_MAX = 1024;
/** A connection with fewer blocks, such as that of an idle agent, keeps none of them in memory. */
const BLOCKS_BEFORE = 10;

/**
 * The last header blocks of one direction, with their lists. Most calls of a client have the header fields of the call before, and
 * comparing a block takes a fraction of the time that decoding takes. A block has the same meaning only while the dynamic table stays
 * as it is.
 */
export class RepeatedBlocks {
  readonly #kept: { readonly block: Uint8Array; readonly fields: Fields }[] = [];
  #seen = 0;

  /** Returns the list of an equal block, or undefined. */
  fieldsOf(block: Uint8Array): Fields | undefined {
    for (const kept of this.#kept) if (areEqual(kept.block, block)) return kept.fields;
    return undefined;
  }

  /** Copies the block, which did not change the table. */
  keep(block: Uint8Array, fields: Fields): void {
    this.#seen += 1;
    if (this.#seen <= BLOCKS_BEFORE || block.length > BLOCK_BYTES_MAX) return;
    if (this.#kept.length === BLOCKS_MAX) this.#kept.shift();
    this.#kept.push({ block: Uint8Array.from(block), fields });
  }

  /** The table has changed. */
  forget(): void {
    this.#kept.length = 0;
  }
}

function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
  return true;
}
