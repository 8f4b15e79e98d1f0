/** Seeded mutations of packets. */

/** A small generator (mulberry32), so that a seed repeats a run. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Returns a copy that is cut, changed or prolonged, or the same. */
export function mutated(bytes: Uint8Array, next: (below: number) => number): Uint8Array {
  const copy = bytes.slice(0, next(4) === 0 ? next(bytes.length + 1) : bytes.length);
  for (let change = next(4); change > 0 && copy.length > 0; change--) {
    copy[next(copy.length)] = next(2) === 0 ? next(256) : ([0, 1, 0x7f, 0x80, 0xff][next(5)] ?? 0);
  }
  return next(8) === 0
    ? Uint8Array.of(...copy, ...Uint8Array.from({ length: next(64) }, () => next(256)))
    : copy;
}
