import { createHash, type Hash } from 'node:crypto';
import { algorithmOf, hexOf, type Digest } from '@tinkerbell/oci';

/** Counts and hashes bytes until they are compared with what was promised. */
export class DigestCheck {
  readonly #digest: Digest;
  readonly #hash: Hash;
  bytes = 0;

  constructor(digest: Digest) {
    this.#digest = digest;
    this.#hash = createHash(algorithmOf(digest));
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    this.#hash.update(chunk);
  }

  /** Returns what is wrong. */
  problem(): string | undefined {
    const actual = this.#hash.digest('hex');
    return actual === hexOf(this.#digest) ? undefined : `its digest is ${actual}, not ${this.#digest}`;
  }
}
