import { quote } from '@tinkerbell/go-template';

/** Durations are nanoseconds in 64 bits, as in Go's time.Duration. */

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

export const SECOND = 1_000_000_000n;
const MOST = 2n ** 63n;

export type DurationResult =
  | { readonly ok: true; readonly nanoseconds: bigint }
  | { readonly ok: false; readonly error: string };

/** Reads `1h30m`, `-1.5s` and the like (time.ParseDuration). */
export function parseDuration(source: string): DurationResult {
  const isNegative = source.startsWith('-');
  const unsigned = source.replace(/^[-+]/, '');
  if (unsigned === '0') return { ok: true, nanoseconds: 0n };
  const size = unsigned === '' ? invalid(source) : sumOfParts(unsigned, source);
  if (!size.ok) return size;
  if (!isNegative && size.nanoseconds === MOST) return invalid(source);
  return isNegative ? { ok: true, nanoseconds: -size.nanoseconds } : size;
}

function sumOfParts(unsigned: string, source: string): DurationResult {
  let total = 0n;
  for (let rest = unsigned; rest !== '';) {
    const [all = '', whole = '', fraction = '', unit = ''] = PART.exec(rest) ?? [];
    if (whole + fraction === '') return invalid(source);
    const size = UNITS.get(unit);
    if (size === undefined)
      return refused(`${unit === '' ? 'missing unit' : `unknown unit ${quote(unit)}`} in`, source);
    total += BigInt(`0${whole}`) * size + (BigInt(`0${fraction}`) * size) / 10n ** BigInt(fraction.length);
    if (total > MOST) return invalid(source);
    rest = rest.slice(all.length);
  }
  return { ok: true, nanoseconds: total };
}

const PART = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/;

function invalid(source: string): DurationResult {
  return refused('invalid', source);
}

function refused(why: string, source: string): DurationResult {
  return { ok: false, error: `time: ${why} duration ${quote(source)}` };
}

/** Writes `1h30m0s`, `1.5s`, `20ms` (time.Duration.String). */
export function durationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${fraction(size, 3)}µs`;
  if (size < SECOND) return `${sign}${fraction(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${fraction(size % 60_000_000_000n, 9)}s`;
  const hours = minutes / 60n;
  return `${sign}${hours > 0n ? `${hours}h` : ''}${minutes > 0n ? `${minutes % 60n}m` : ''}${seconds}`;
}

function fraction(size: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const part = (size % scale).toString().padStart(places, '0').replace(/0+$/, '');
  return `${size / scale}${part && `.${part}`}`;
}

const ROUND_UNITS: readonly (readonly [string, bigint])[] = [
  ['y', 365n * 24n * 3600n],
  ['mo', 30n * 24n * 3600n],
  ['d', 24n * 3600n],
  ['h', 3600n],
  ['m', 60n],
  ['s', 1n],
];

/** Returns the largest unit that the duration exceeds, without sign: `2h`, `3mo` (sprig's durationRound). */
export function roundedDuration(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const unit = ROUND_UNITS.find(([, seconds]) => size > seconds * SECOND);
  return unit === undefined ? '0s' : `${size / (unit[1] * SECOND)}${unit[0]}`;
}
