/** Returns a function that returns the time as `Date.toISOString` does. The date is formatted once a second, which takes most of the time. */
export function isoTimes(nowMs: () => number): () => string {
  let [second, start] = [Number.NaN, ''];
  return () => {
    const now = nowMs();
    const current = Math.floor(now / 1000);
    if (current !== second) [second, start] = [current, new Date(now).toISOString().slice(0, -'000Z'.length)];
    return `${start}${String(now - current * 1000).padStart(3, '0')}Z`;
  };
}
