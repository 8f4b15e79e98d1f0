/** Generates names for workflows without one. */

/** Names are at most 253 characters long. This leaves room for a number. */
const STEM_LENGTH_MAX = 240;

/** Yields `m1-debian`, then `m1-debian-2`, `m1-debian-3`, …: the base name and a counter. */
export function* workflowNames(stem: string): Generator<string, void, undefined> {
  const short = stem.slice(0, STEM_LENGTH_MAX);
  yield short;
  for (let number = 2; number <= NUMBER_MAX; number++) yield `${short}-${number}`;
}

const NUMBER_MAX = 10_000;

/** Returns the name without the number that `workflowNames` added. */
export function stemOf(name: string): string {
  return name.replace(/-([2-9]|[1-9]\d{1,3}|10000)$/, '');
}
