/** Resolves after everything else that waits for the event loop has had its turn: packets, timers, other requests. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
