/** Watches, timelines and logs: answers that last as long as their clients want, and so have a bound together. */
import { HeldBytes, Slots, type HttpContext } from '@tinkerbell/platform-contract';
import { tooMany } from './api-error.ts';
import type { ApiMetrics } from './metrics.ts';

type StreamMetrics = Pick<ApiMetrics, 'openStreams' | 'waitingBytes' | 'watchesTooSlow'>;

/** A browser or `kubectl` has a handful, a controller one for each kind. */
const STREAMS_MAX = 2000;
const RETRY_AFTER_SECONDS = 10;
/** Of events that clients of watches have not taken yet, each version of an object counted once. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

export class OpenStreams {
  readonly #slots = new Slots(STREAMS_MAX);
  readonly held = new HeldBytes(HELD_BYTES_MAX);
  readonly #metrics: StreamMetrics;

  constructor(metrics: StreamMetrics) {
    this.#metrics = metrics;
    metrics.openStreams.from(() => this.#slots.taken());
    metrics.waitingBytes.from(() => this.held.bytes());
  }

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

  tooSlow(): void {
    this.#metrics.watchesTooSlow.add();
  }
}
