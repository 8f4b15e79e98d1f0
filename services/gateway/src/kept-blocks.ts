import type { Fields } from '@tinkerbell/http2';

/** Of some connections to an upstream. */
const BLOCKS_MAX = 4;

/**
 * The blocks of the last lists of header fields. The decoder returns the same list for a repeated block, and most answers of an upstream
 * are the same except for their data.
 */
export class KeptBlocks {
  readonly #encode: (fields: Fields) => Uint8Array;
  readonly #kept: { readonly fields: Fields; readonly block: Uint8Array }[] = [];

  constructor(encode: (fields: Fields) => Uint8Array) {
    this.#encode = encode;
  }

  of(fields: Fields): Uint8Array {
    for (const kept of this.#kept) if (kept.fields === fields) return kept.block;
    const block = this.#encode(fields);
    if (this.#kept.length === BLOCKS_MAX) this.#kept.shift();
    this.#kept.push({ fields, block });
    return block;
  }
}
