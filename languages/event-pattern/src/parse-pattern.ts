import { readJson, type JsonNode } from './json-reader.ts';
import { readEntry, type ValueTest } from './operators.ts';
import { PatternFault, type PatternError } from './pattern-error.ts';

/** The requirements on an event. One test of a leaf must match, and all fields of an object must. */
export type PatternNode =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, PatternNode> }
  | { readonly kind: 'leaf'; readonly tests: readonly ValueTest[] };

/** A pattern from `parsePattern`. */
export interface Pattern {
  readonly required: PatternNode;
  /** Paths that must not exist. */
  readonly absent: readonly (readonly string[])[];
}

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly error: PatternError };

/** The length of a pattern's text. Upstream's objects hold at most a few of this size. */
export const PATTERN_TEXT_MAX = 64 * 1024;

/** The error reports the first invalid place. */
export function parsePattern(text: string): ParsedPattern {
  if (text.length > PATTERN_TEXT_MAX)
    return refused({
      offset: PATTERN_TEXT_MAX,
      path: '',
      message: `expected at most ${PATTERN_TEXT_MAX} characters`,
    });
  try {
    return { ok: true, pattern: patternOf(readJson(text)) };
  } catch (thrown) {
    if (thrown instanceof PatternFault) return refused(thrown.fault);
    throw thrown;
  }
}

function refused(error: PatternError): ParsedPattern {
  return { ok: false, error };
}

function patternOf(root: JsonNode): Pattern {
  if (root.kind !== 'object') throw new PatternFault('', root.offset, 'expected an object');
  const absent: string[][] = [];
  const required = readNode(root, [], absent);
  if (required === undefined && absent.length === 0)
    throw new PatternFault('', root.offset, 'expected at least one field');
  return { required: required ?? { kind: 'object', fields: new Map() }, absent };
}

/** Returns undefined when the node requires nothing to exist. */
function readNode(node: JsonNode, path: readonly string[], absent: string[][]): PatternNode | undefined {
  if (node.kind === 'array') return readLeaf(node, path, absent);
  if (node.kind === 'scalar')
    throw new PatternFault(path.join('.'), node.offset, 'expected a list of values, or an object');
  const fields = new Map<string, PatternNode>();
  for (const { name, value } of node.fields) {
    const inner = readNode(value, [...path, name], absent);
    if (inner !== undefined) fields.set(name, inner);
  }
  return fields.size === 0 ? undefined : { kind: 'object', fields };
}

function readLeaf(
  { items, offset }: Extract<JsonNode, { kind: 'array' }>,
  path: readonly string[],
  absent: string[][],
): PatternNode | undefined {
  const place = path.join('.');
  if (items.length === 0) throw new PatternFault(place, offset, 'expected at least one value');
  const entries = items.map((item, index) => readEntry(item, `${place}[${index}]`));
  const tests = entries.flatMap((entry) => ('test' in entry ? [entry.test] : []));
  const mustStandAlone = entries.some((entry) => 'absent' in entry || entry.alone);
  if (mustStandAlone && entries.length > 1)
    throw new PatternFault(place, offset, 'expected exists, anything-but and regexp to stand alone');
  if (tests.length > 0) return { kind: 'leaf', tests };
  absent.push([...path]);
  return undefined;
}
