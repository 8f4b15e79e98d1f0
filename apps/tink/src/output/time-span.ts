import { usageFailure } from '../failure.ts';

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses `90`, `90s`, `1h30m` to seconds. Throws a usage failure that names the option. */
export function secondsOf(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!/^(\d{1,9}[smhd])+$/.test(text))
    throw usageFailure(
      `${option} must be seconds or a duration such as 90s, 10m, 1h30m, not ${JSON.stringify(text)}`,
    );
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * (units[unit] ?? 1),
    0,
  );
}
