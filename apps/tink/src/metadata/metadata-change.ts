/** What `tink label` and `tink annotate` change, decided without doing it. */
import { usageFailure } from '../failure.ts';

export interface MetadataChange {
  /** For a merge patch: null takes a key away. */
  readonly patch: Readonly<Record<string, string | null>>;
  /** Keys that have another value and may not be overwritten. */
  readonly taken: readonly string[];
}

/** `rack=r7` sets, `rack-` takes away. Throws a usage failure for other words. */
export function wishesOf(words: readonly string[]): ReadonlyMap<string, string | null> {
  const wishes = new Map<string, string | null>();
  for (const word of words) {
    const set = /^([^=]+)=(.*)$/s.exec(word);
    const removed = set === null ? /^([^=]+)-$/.exec(word) : null;
    const key = set?.[1] ?? removed?.[1];
    if (key === undefined)
      throw usageFailure(`${JSON.stringify(word)} is neither KEY=VALUE nor KEY- (which takes the key away)`);
    if (wishes.has(key)) throw usageFailure(`${JSON.stringify(key)} is named twice`);
    wishes.set(key, set?.[2] ?? null);
  }
  return wishes;
}

/** An empty patch when all is so already. */
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

/** Words that name objects come before those that change them. */
export function splitWords(words: readonly string[]): {
  readonly names: readonly string[];
  readonly changes: readonly string[];
} {
  const at = words.findIndex((word) => word.includes('=') || word.endsWith('-'));
  return at < 0 ? { names: words, changes: [] } : { names: words.slice(0, at), changes: words.slice(at) };
}
