import { useSyncExternalStore } from 'react';
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

/** As `toLocaleString` writes it, without its search for the locale at each call. */
const exactTime = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

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
    <time dateTime={time.toISOString()} title={exactTime.format(time)} className="time">
      {relativeTime(time.getTime(), isAhead ? now : Math.max(now, time.getTime()))}
    </time>
  );
}
