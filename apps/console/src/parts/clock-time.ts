/** Times on the clock of a zone (default: the browser's). Pure. */

export interface Clock {
  /** `23:41:07.123` on the day of `nowMs`, `2026-11-26 23:41:07` on others. */
  text(ms: number, nowMs: number): string;
  /** `2026-11-26 23:41:07 UTC`. */
  exact(ms: number): string;
  /** Such as `UTC` or `Europe/Berlin`. */
  readonly zone: string;
}

/** The formats are made once: each takes longer than a thousand of its calls. */
export function clockOf(timeZone?: string): Clock {
  const [two, fourDigits] = ['2-digit', 'numeric'] as const;
  const time = { hour: two, minute: two, second: two, hourCycle: 'h23', timeZone } as const;
  // Its order is that of ISO 8601.
  const day = new Intl.DateTimeFormat('en-CA', { year: fourDigits, month: two, day: two, timeZone });
  const seconds = new Intl.DateTimeFormat('en-GB', time);
  const milliseconds = new Intl.DateTimeFormat('en-GB', { ...time, fractionalSecondDigits: 3 });
  const zoned = new Intl.DateTimeFormat('en-GB', { ...time, timeZoneName: 'short' });
  return {
    text: (ms, nowMs) =>
      day.format(ms) === day.format(nowMs)
        ? milliseconds.format(ms)
        : `${day.format(ms)} ${seconds.format(ms)}`,
    exact: (ms) => `${day.format(ms)} ${zoned.format(ms)}`,
    zone: seconds.resolvedOptions().timeZone,
  };
}
