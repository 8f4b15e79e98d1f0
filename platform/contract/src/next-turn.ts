/** Resolves after whatever else waits for the event loop has had its turn: packets, timers, other requests. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Runs work that pauses itself; others have a turn at each pause. Resolves with what it returns, rejects with what it throws. */
export async function inTurns<Result>(work: Generator<unknown, Result>): Promise<Result> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    await nextTurn();
  }
}
