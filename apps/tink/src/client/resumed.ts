/** A stream that survives the server: it reconnects where it broke off, with growing pauses. */
import { delay, type Clock, type Random } from '@tinkerbell/platform-contract';
import { ApiFailure, UnreachableFailure } from './server-failure.ts';

export interface ResumeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Called once per lost connection, when the first attempt to reconnect fails. */
  readonly onLost: () => void;
  readonly onBack: () => void;
}

const FIRST_PAUSE_MS = 200;
const FACTOR = 1.6;
const PAUSE_MS_MAX = 5000;
const JITTER = 0.3;

/**
 * Yields the items of `open()` until the signal, and reopens it while the server is unreachable. Callers have just reached
 * the server. `open` must ask for the items after the last one.
 */
export async function* resumed<Item>(
  open: () => Promise<AsyncIterable<Item>>,
  options: ResumeOptions,
): AsyncGenerator<Item, void, undefined> {
  const { clock, random, signal } = options;
  let isLost = false;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    let isOpen = false;
    try {
      const stream = await open();
      isOpen = true;
      if (isLost) options.onBack();
      isLost = false;
      for await (const item of stream) {
        pauseMs = FIRST_PAUSE_MS;
        yield item;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (!isPassing(thrown)) throw thrown;
      if (!isOpen && !isLost) {
        isLost = true;
        options.onLost();
      }
    }
    await delay(clock, pauseMs * (1 + JITTER * (2 * random.fraction() - 1)), signal);
    if (signal.aborted) return;
    pauseMs = Math.min(pauseMs * FACTOR, PAUSE_MS_MAX);
  }
}

function isPassing(thrown: unknown): boolean {
  return thrown instanceof UnreachableFailure || (thrown instanceof ApiFailure && thrown.code >= 500);
}
