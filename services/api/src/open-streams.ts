/** Watches, timelines and logs: answers that last as long as their clients want, and so have a bound together. */
import { Slots, type HttpContext } from '@tinkerbell/platform-contract';
import { tooMany } from './api-error.ts';

/** A browser or `kubectl` has a handful, a controller one for each kind. */
const STREAMS_MAX = 2000;
const RETRY_AFTER_SECONDS = 10;

export class OpenStreams {
  readonly #slots = new Slots(STREAMS_MAX);

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
}
