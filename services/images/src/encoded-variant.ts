/** Compressed files beside the plain one: `x.zst` and `x.gz` beside `x`. */
export interface Encoding {
  /** The name in Accept-Encoding and Content-Encoding. */
  readonly name: 'zstd' | 'gzip';
  readonly extension: '.zst' | '.gz';
}

const ENCODINGS: readonly Encoding[] = [
  { name: 'zstd', extension: '.zst' },
  { name: 'gzip', extension: '.gz' },
];

/**
 * Returns what a client accepts, best first (RFC 9110 section 12.5.3). Only named encodings count, because clients that cannot
 * decode send `*`.
 */
export function encodingsFor(acceptEncoding: string | null): readonly Encoding[] {
  if (acceptEncoding === null) return [];
  const weights = new Map<string, number>();
  for (const each of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', weight = ''] = each.split(';', 2);
    const value = /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(weight)?.[1];
    weights.set(name.trim(), value === undefined ? 1 : Number(value));
  }
  const weightOf = ({ name }: Encoding) => weights.get(name) ?? 0;
  return ENCODINGS.filter((one) => weightOf(one) > 0).toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  );
}
