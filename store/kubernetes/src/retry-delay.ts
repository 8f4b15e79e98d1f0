/** Computes when to retry an unanswered request. */

const FIRST_MS = 100;
const MAX_MS = 5_000;
/** A server that requests a longer delay is regarded as unavailable. */
const RETRY_AFTER_MS_MAX = 30_000;

export interface Failed {
  /** The number of consecutive failures, including this one. */
  readonly failures: number;
  /**
   * A random number in [0, 1), so that servers that lost the same cluster do not return at the same moment.
   */
  readonly fraction: number;
  /** The delay that the server requested. */
  readonly retryAfterMs?: number;
}

/** Doubles from 100 ms to 5 s, of which half is random. It is not shorter than the server's own Retry-After, up to 30 s. */
export function retryDelayMs({ failures, fraction, retryAfterMs = 0 }: Failed): number {
  const wholeMs = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  const ownMs = wholeMs / 2 + (wholeMs / 2) * fraction;
  return Math.max(ownMs, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
}
