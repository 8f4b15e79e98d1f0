import { useSyncExternalStore } from 'react';
import { clockOf } from './clock-time.ts';
import { relativeTime } from './relative-time.ts';

const TICK_MS = 5000;
let nowMs = new Date().getTime();
const listeners = new Set<() => void>();
setInterval(() => {
  nowMs = new Date().getTime();
  for (const listener of listeners) listener();
}, TICK_MS);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The time, every five seconds. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

/** The clock of the browser. */
export const clock = clockOf();

interface TimeProps {
  readonly at: string | number | undefined;
  /** It may be ahead. Otherwise a time ahead is that of a clock that differs. */
  readonly isAhead?: boolean;
}

/** A relative time. The exact one is its title. */
export function Time({ at, isAhead = false }: TimeProps) {
  const now = useNowMs();
  if (at === undefined || at === '') return <span className="quiet">–</span>;
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={clock.exact(time.getTime())} className="time">
      {relativeTime(time.getTime(), isAhead ? now : Math.max(now, time.getTime()))}
    </time>
  );
}

/** The time on the clock, for records that follow each other within a second. */
export function ClockTime({ atMs }: { readonly atMs: number }) {
  const now = useNowMs();
  return (
    <time dateTime={new Date(atMs).toISOString()} title={clock.exact(atMs)} className="clock-time">
      {clock.text(atMs, now)}
    </time>
  );
}
