/** Matches patterns of definitions in time linear in the text, for any pattern (RE2, as in Kubernetes). */
import { compileLinear, type LinearRegexp } from '@tinkerbell/linear-regexp';

/** Longer patterns are refused, because nobody writes them by hand. */
const CHARACTERS_MAX = 2048;
/** The limit for characters times the largest count. Compiling takes a microsecond for each. */
const EXPANDED_MAX = 10_000;
/** The limit for instructions of the compiled pattern. */
const INSTRUCTIONS_MAX = 2000;
/**
 * The limit for characters of a text times instructions. A match of this size takes 2 ms at worst, and
 * usually a hundredth of that.
 */
const MATCH_WORK_MAX = 50_000;
/** The amount of work that counts as one step, which takes as long as a node of a rule (100 ns) when no state is known yet. */
const WORK_PER_STEP = 4;

export interface Pattern {
  /** Returns undefined for a text that is too long for the pattern. */
  matches(text: string): boolean | undefined;
  /** Returns the cost of a match. */
  stepsFor(text: string): number;
  readonly charactersMax: number;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly fault: string };

/** A cache of the patterns of definitions that are or were served, and of rules as they run. */
const compiled = new Map<string, CompiledPattern>();
const COMPILED_MAX = 250;

export function compilePattern(source: string): CompiledPattern {
  let found = compiled.get(source);
  if (found === undefined) {
    found = compile(source);
    if (compiled.size >= COMPILED_MAX) compiled.clear();
    if (source.length <= CHARACTERS_MAX) compiled.set(source, found);
  }
  return found;
}

function compile(source: string): CompiledPattern {
  const fault = sizeFault(source);
  if (fault !== undefined) return { ok: false, fault };
  const result = compileLinear(source);
  return result.ok ? patternOf(result.regexp) : result;
}

function sizeFault(source: string): string | undefined {
  if (source.length > CHARACTERS_MAX) return `a pattern has at most ${CHARACTERS_MAX} characters`;
  const counts = source.match(/\{\d+(,\d*)?\}/g) ?? [];
  const largest = Math.max(1, ...counts.flatMap((one) => (one.match(/\d+/g) ?? []).map(Number)));
  if (source.length * largest <= EXPANDED_MAX) return undefined;
  return `a pattern of ${source.length} characters may count to ${Math.floor(EXPANDED_MAX / source.length)} at most`;
}

function patternOf(regexp: LinearRegexp): CompiledPattern {
  const { instructions } = regexp;
  if (instructions > INSTRUCTIONS_MAX) return { ok: false, fault: 'the counts of the pattern are too large' };
  const charactersMax = Math.floor(MATCH_WORK_MAX / instructions);
  return {
    ok: true,
    pattern: {
      charactersMax,
      stepsFor: ({ length }) =>
        1 + Math.ceil((Math.min(length, charactersMax) * instructions) / WORK_PER_STEP),
      matches: (text) => (text.length > charactersMax ? undefined : regexp.isWithin(text)),
    },
  };
}
