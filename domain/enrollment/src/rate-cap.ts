/** Limits the number of objects that unknown machines can create, with a token bucket as values. */

export interface RateCap {
  /** The number of objects that can be created at once. */
  readonly burst: number;
  readonly perSecond: number;
}

export interface TokenBucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Returns a full bucket when there was none. `nowMs` is of a monotonic clock. If it goes back, nothing is added. */
export function takeToken(
  bucket: TokenBucket | undefined,
  { burst, perSecond }: RateCap,
  nowMs: number,
): { readonly taken: boolean; readonly bucket: TokenBucket } {
  const { tokens, atMs } = bucket ?? { tokens: burst, atMs: nowMs };
  const gained = (Math.max(0, nowMs - atMs) / 1000) * perSecond;
  const there = Math.min(burst, tokens + gained);
  const taken = there >= 1;
  return { taken, bucket: { tokens: taken ? there - 1 : there, atMs: nowMs } };
}
