/** Loads what Node loads at its first use, so that the first client of a watch delays no packet. */
import type { Clock } from '@tinkerbell/platform-contract';

/** Machines that wait for the server come first. */
const LOAD_AFTER_MS = 500;

/** A first `Response` with a stream takes 40 ms. */
export function loadWebStreamsLate(clock: Pick<Clock, 'schedule'>): void {
  clock.schedule(LOAD_AFTER_MS, () => void new Response(new ReadableStream()));
}
