/**
 * Keeps the packs of an image that is being added. Garbage collection removes a pack that no manifest names, unless a client has
 * pushed it or asked for it within the last hour, and an image may take longer than that.
 */
import type { Digest } from '@tinkerbell/oci';
import type { Clock } from '@tinkerbell/platform-contract';

/** The server notes a question at most every 15 minutes, so a pack is never older than 25 minutes. */
const RENEW_MS = 10 * 60 * 1000;

export interface PackLeaseParts {
  readonly clock: Clock;
  /** Asks the server for a pack. */
  ask(pack: Digest): Promise<unknown>;
}

export class PackLease {
  readonly #parts: PackLeaseParts;
  readonly #packs = new Set<Digest>();
  #renewing: Promise<void> = Promise.resolve();
  #cancel: () => void;
  #ended = false;

  constructor(parts: PackLeaseParts) {
    this.#parts = parts;
    this.#cancel = this.#schedule();
  }

  keep(pack: Digest): void {
    this.#packs.add(pack);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.#cancel();
    await this.#renewing;
  }

  #schedule(): () => void {
    return this.#parts.clock.schedule(RENEW_MS, () => {
      this.#renewing = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    for (const pack of this.#packs) {
      if (this.#ended) return;
      // The upload fails by itself when the server is away, and the manifest when a pack is gone.
      await this.#parts.ask(pack).catch(() => undefined);
    }
    if (!this.#ended) this.#cancel = this.#schedule();
  }
}
