import type { JsonScalar } from './json-reader.ts';
import { MatchSteps } from './match-steps.ts';
import type { Pattern, PatternNode } from './parse-pattern.ts';

/** The nesting of arrays directly in arrays that are searched. */
const ARRAYS_MAX = 64;

/** The steps of one pattern: 20 ms at worst, and 150 ms with deliberately slow regular expressions. */
const STEPS_MAX = 1_000_000;

/**
 * Returns true if a JSON value matches. Each value is tested once for each field of the pattern that leads to
 * it. A value that is not an object matches nothing. Throws MatchTooLong.
 */
export function matches(pattern: Pattern, event: unknown, steps = new MatchSteps(STEPS_MAX)): boolean {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return false;
  return (
    meets(pattern.required, event, { arrays: 0, steps }) &&
    !pattern.absent.some((path) => leadsToValue(path, event, 0))
  );
}

interface Search {
  readonly arrays: number;
  readonly steps: MatchSteps;
}

/**
 * One element of an array must satisfy all fields below it together, so the search enters an element with all
 * of them.
 */
function meets(node: PatternNode, value: unknown, { arrays, steps }: Search): boolean {
  steps.take(1);
  if (Array.isArray(value))
    return (
      arrays < ARRAYS_MAX && value.some((element) => meets(node, element, { arrays: arrays + 1, steps }))
    );
  if (node.kind === 'leaf') return isScalar(value) && node.tests.some((test) => test(value, steps));
  if (!isObject(value)) return false;
  for (const [name, inner] of node.fields)
    if (!Object.hasOwn(value, name) || !meets(inner, value[name], { arrays: 0, steps })) return false;
  return true;
}

function leadsToValue(path: readonly string[], value: unknown, arrays: number): boolean {
  if (Array.isArray(value))
    return arrays < ARRAYS_MAX && value.some((element) => leadsToValue(path, element, arrays + 1));
  const [name, ...rest] = path;
  if (name === undefined) return isScalar(value);
  return isObject(value) && Object.hasOwn(value, name) && leadsToValue(rest, value[name], 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isScalar(value: unknown): value is JsonScalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
