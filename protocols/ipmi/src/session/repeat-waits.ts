/** The wait before a request is sent again. A BMC answers within a second unless it is busy. */
export const FIRST_WAIT_MS = 1_000;
/** Waits double up to this. */
const WAIT_MS_MAX = 5_000;

/** Returns how long to wait after each time that a request is sent. The waits add up to `timeoutMs`. */
export function repeatWaits(timeoutMs: number): readonly number[] {
  const waits: number[] = [];
  let left = timeoutMs;
  for (let wait = FIRST_WAIT_MS; left > 0; wait = Math.min(wait * 2, WAIT_MS_MAX)) {
    // A last wait that is much shorter than the one before it is joined with it.
    const isLast = left < wait * 1.5;
    waits.push(isLast ? left : wait);
    left = isLast ? 0 : left - wait;
  }
  return waits;
}
