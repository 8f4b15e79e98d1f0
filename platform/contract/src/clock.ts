/** Time as a parameter. Services never read the machine's clock themselves. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Monotonic milliseconds, for durations. */
  monotonicMs(): number;
  /**
   * Runs `task` once after `delayMs`. Delays beyond the 2^31 ms limit of `setTimeout` also work. Returns the function that
   * cancels it.
   */
  schedule(delayMs: number, task: () => void): () => void;
}

/** Resolves after `delayMs`, or at once when `signal` aborts. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const cancel = clock.schedule(delayMs, finish);
    signal?.addEventListener('abort', finish, { once: true });
    function finish(): void {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    }
  });
}

/** Resolves when the signal aborts, or now if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

export interface Interval {
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Calls `act` after each interval until the signal aborts. An interval begins when the call before it has ended. */
export function repeat(clock: Clock, { everyMs, signal }: Interval, act: () => void | Promise<void>): void {
  let cancel = (): void => undefined;
  const next = (): void => {
    if (!signal.aborted) cancel = clock.schedule(everyMs, run);
  };
  const run = (): void => {
    const ended = act();
    if (ended === undefined) next();
    else void ended.finally(next);
  };
  signal.addEventListener('abort', () => cancel(), { once: true });
  next();
}
