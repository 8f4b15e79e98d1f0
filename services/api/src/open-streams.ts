/** Watches, timelines and logs: answers that last as long as their clients want, and so have a bound together. */
import { HeldBytes, Slots, type HttpContext } from '@tinkerbell/platform-contract';
import { tooMany } from './api-error.ts';

/** A browser or `kubectl` has a handful, a controller one for each kind. */
const STREAMS_MAX = 2000;
const RETRY_AFTER_SECONDS = 10;
/** Of events that clients of watches have not taken yet, each version of an object counted once. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

export class OpenStreams {
  readonly #slots = new Slots(STREAMS_MAX);
  readonly held = new HeldBytes(HELD_BYTES_MAX);
  #slow = 0;

  /** It counts until it has been sent or the client has gone. Throws an ApiError when there are too many. */
  async open(
    { signal }: Pick<HttpContext, 'signal'>,
    begin: () => Response | Promise<Response>,
  ): Promise<Response> {
    const giveBack = this.#slots.take();
    if (giveBack === undefined)
      throw tooMany(
        `${STREAMS_MAX} watches, timelines and logs are open already; end some`,
        RETRY_AFTER_SECONDS,
      );
    signal.addEventListener('abort', giveBack, { once: true });
    try {
      if (signal.aborted) giveBack();
      return await begin();
    } catch (thrown) {
      giveBack();
      throw thrown;
    }
  }

  count(): number {
    return this.#slots.taken();
  }

  tooSlow(): void {
    this.#slow += 1;
  }

  /** Watches that were ended since the start because their clients did not read. */
  slow(): number {
    return this.#slow;
  }
}
