/** Handles stop signals. Ctrl-C in a terminal reaches the server twice: from the terminal, and from npm, which forwards it. */
const SAME_PRESS_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Returns a signal that aborts at the first SIGINT or SIGTERM. Repeats within a second count as the first. A later one
 * ends the process immediately, so that an operator need not wait for the graceful end.
 */
export function stopSignals(): AbortSignal {
  const stopping = new AbortController();
  let firstAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    firstAtMs ??= nowMs;
    stopping.abort();
    if (nowMs - firstAtMs < SAME_PRESS_MS) return;
    for (const each of SIGNALS) process.off(each, onSignal);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return stopping.signal;
}
