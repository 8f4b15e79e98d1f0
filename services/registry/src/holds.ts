/**
 * Keeps garbage collection from removing what a request relies on. A request holds the digests that it is about to look up, before
 * it looks. The collector removes only what nobody holds, and what nobody has held since it began. A request that comes while
 * something is being removed waits for the end of it, and then finds it absent.
 */
import type { Digest } from '@tinkerbell/oci';

/** More than this in one collection is an attack, and ends it. */
const SEEN_MAX = 1_000_000;

export class Holds {
  readonly #active = new Map<Digest, number>();
  readonly #removing = new Map<Digest, Promise<void>>();
  /** What was held since the collection began. Undefined: none runs. */
  #seen: Set<Digest> | undefined;

  /** Disposing the result releases the digests. */
  async hold(digests: readonly Digest[]): Promise<Disposable> {
    for (const digest of digests) {
      this.#active.set(digest, (this.#active.get(digest) ?? 0) + 1);
      this.#seen?.add(digest);
    }
    for (const digest of digests) await this.#removing.get(digest);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) for (const digest of digests) this.#release(digest);
        isHeld = false;
      },
    };
  }

  /** Returns false when a collection already runs. */
  begin(): boolean {
    if (this.#seen !== undefined) return false;
    this.#seen = new Set(this.#active.keys());
    return true;
  }

  end(): void {
    this.#seen = undefined;
  }

  /** Runs `remove` unless the digest is held, or was since `begin`. Returns whether `remove` removed it. */
  async removeUnlessHeld(digest: Digest, remove: () => Promise<boolean>): Promise<boolean> {
    const seen = this.#seen;
    if (seen === undefined || seen.has(digest) || seen.size > SEEN_MAX) return false;
    const removed = remove();
    const ended = removed.then(
      () => undefined,
      () => undefined,
    );
    this.#removing.set(digest, ended);
    try {
      return await removed;
    } finally {
      this.#removing.delete(digest);
    }
  }

  #release(digest: Digest): void {
    const count = (this.#active.get(digest) ?? 0) - 1;
    if (count > 0) this.#active.set(digest, count);
    else this.#active.delete(digest);
  }
}
