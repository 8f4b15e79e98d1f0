/** Decides what `tink label` and `tink annotate` change. Sends nothing. */
import { usageFailure } from '../failure.ts';

export interface MetadataChange {
  /** A merge patch; null removes a key. */
  readonly patch: Readonly<Record<string, string | null>>;
  /** Keys that have another value and may not be replaced. */
  readonly taken: readonly string[];
}

/** Parses `rack=r7` (set) and `rack-` (remove). Throws a usage failure for other words. */
export function wishesOf(words: readonly string[]): ReadonlyMap<string, string | null> {
  const wishes = new Map<string, string | null>();
  for (const word of words) {
    const set = /^([^=]+)=(.*)$/s.exec(word);
    const removed = set === null ? /^([^=]+)-$/.exec(word) : null;
    const key = set?.[1] ?? removed?.[1];
    if (key === undefined)
      throw usageFailure(`${JSON.stringify(word)} is neither KEY=VALUE nor KEY- (to remove the key)`);
    if (wishes.has(key)) throw usageFailure(`${JSON.stringify(key)} is given twice`);
    wishes.set(key, set?.[2] ?? null);
  }
  return wishes;
}

/** Returns an empty patch if there is nothing to change. */
export function metadataChange(
  current: Readonly<Record<string, string>> | undefined,
  wishes: ReadonlyMap<string, string | null>,
  overwrite: boolean,
): MetadataChange {
  const has = new Map(Object.entries(current ?? {}));
  const changes = [...wishes].filter(([key, value]) => (has.get(key) ?? null) !== value);
  const taken = overwrite
    ? []
    : changes.filter(([key, value]) => value !== null && has.has(key)).map(([key]) => key);
  return { patch: Object.fromEntries(changes), taken };
}

/** Splits the words: names of objects come first, then changes. */
export function splitWords(words: readonly string[]): {
  readonly names: readonly string[];
  readonly changes: readonly string[];
} {
  const at = words.findIndex((word) => word.includes('=') || word.endsWith('-'));
  return at < 0 ? { names: words, changes: [] } : { names: words.slice(0, at), changes: words.slice(at) };
}
