/** Names for workflows that nobody named. */

/** Names are at most 253 characters; this leaves room for a number. */
const STEM_LENGTH_MAX = 240;

/** `m1-debian`, then `m1-debian-2`, `m1-debian-3`, …: what was done, and the how manieth time. */
export function* workflowNames(stem: string): Generator<string, void, undefined> {
  const short = stem.slice(0, STEM_LENGTH_MAX);
  yield short;
  for (let number = 2; number <= NUMBER_MAX; number++) yield `${short}-${number}`;
}

const NUMBER_MAX = 10_000;

/** The name without the number that `workflowNames` gave it. */
export function stemOf(name: string): string {
  return name.replace(/-([2-9]|[1-9]\d{1,3}|10000)$/, '');
}
