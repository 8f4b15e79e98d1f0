import { delay, type Clock } from './clock.ts';

/** The number of items in one turn of the event loop. */
const SLICE = 200;

export interface Pace {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Calls `act` with each item, one after the other, until the signal aborts. Packets and requests are answered between slices of them,
 * so `act` should take no more than microseconds. Rejects with what `act` throws.
 */
export async function inSlices<Item>(
  items: readonly Item[],
  { clock, signal }: Pace,
  act: (item: Item) => Promise<void> | void,
): Promise<void> {
  for (let at = 0; at < items.length; at += SLICE) {
    if (at > 0) await delay(clock, 0);
    if (signal.aborted) return;
    for (const item of items.slice(at, at + SLICE)) {
      const ended = act(item);
      if (ended !== undefined) await ended;
    }
  }
}
