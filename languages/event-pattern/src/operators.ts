/** The entries of a leaf: the tests of one value. */
import { globMatches, parseGlob } from './glob.ts';
import type { JsonNode, JsonScalar } from './json-reader.ts';
import type { MatchSteps } from './match-steps.ts';
import { PatternFault } from './pattern-error.ts';
import { RegexpFault } from './regexp-fault.ts';
import { compileRegexp } from './regexp.ts';

/** Texts without states are compared faster. */
const CHARACTERS_PER_STEP = 4;

export type ValueTest = (value: JsonScalar, steps: MatchSteps) => boolean;

/** `absent` is `{"exists": false}`. */
export type LeafEntry = { readonly test: ValueTest; readonly alone: boolean } | { readonly absent: true };

const operators: Readonly<Record<string, (argument: JsonNode, path: string) => LeafEntry>> = {
  wildcard: (argument, path) => globEntry(argument, path, true),
  shellstyle: (argument, path) => globEntry(argument, path, false),
  prefix(argument, path) {
    const prefix = textOf(argument, path);
    return textEntry((value) => value.startsWith(prefix));
  },
  'equals-ignore-case'(argument, path) {
    const folded = new RegExp(`^${RegExp.escape(textOf(argument, path))}$`, 'iu');
    return textEntry((value) => folded.test(value));
  },
  'anything-but': anythingBut,
  exists(argument, path) {
    if (argument.kind !== 'scalar' || typeof argument.value !== 'boolean')
      throw new PatternFault(path, argument.offset, 'expected true or false');
    return argument.value ? { test: () => true, alone: true } : { absent: true };
  },
  regexp: regexpEntry,
  numeric: numericEntry,
};

/** Throws a PatternFault. */
export function readEntry(node: JsonNode, path: string): LeafEntry {
  if (node.kind === 'scalar') {
    const { value } = node;
    return { test: (one) => one === value, alone: false };
  }
  if (node.kind === 'array') throw new PatternFault(path, node.offset, 'expected a value or an operator');
  const [field] = node.fields;
  if (field === undefined || node.fields.length > 1)
    throw new PatternFault(path, node.offset, 'expected an operator: an object of one field');
  const operator = Object.hasOwn(operators, field.name) ? operators[field.name] : undefined;
  if (operator === undefined)
    throw new PatternFault(path, field.offset, `expected one of ${Object.keys(operators).join(', ')}`);
  return operator(field.value, `${path}.${field.name}`);
}

function textEntry(test: (value: string) => boolean): LeafEntry {
  const tested: ValueTest = (value, steps) => {
    if (typeof value !== 'string') return false;
    steps.take(value.length / CHARACTERS_PER_STEP);
    return test(value);
  };
  return { test: tested, alone: false };
}

function textOf(node: JsonNode, path: string): string {
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value;
  throw new PatternFault(path, node.offset, 'expected a string');
}

function globEntry(argument: JsonNode, path: string, escapes: boolean): LeafEntry {
  const parsed = parseGlob(textOf(argument, path), escapes);
  if (!parsed.ok) throw new PatternFault(path, argument.offset, parsed.message);
  return textEntry((value) => globMatches(parsed.glob, value));
}

/** Upstream accepts strings only. Other values are compared as they are. */
function anythingBut(argument: JsonNode, path: string): LeafEntry {
  if (argument.kind !== 'array' || argument.items.length === 0)
    throw new PatternFault(path, argument.offset, 'expected a list of values');
  const values = new Set(
    argument.items.map((item, index) => {
      if (item.kind === 'scalar') return item.value;
      throw new PatternFault(
        `${path}[${index}]`,
        item.offset,
        'expected a string, number, true, false or null',
      );
    }),
  );
  return { test: (value) => !values.has(value), alone: true };
}

function regexpEntry(argument: JsonNode, path: string): LeafEntry {
  const text = textOf(argument, path);
  try {
    const matches = compileRegexp(text);
    return { test: (value, steps) => typeof value === 'string' && matches(value, steps), alone: true };
  } catch (thrown) {
    if (!(thrown instanceof RegexpFault)) throw thrown;
    throw new PatternFault(path, argument.offset, `${thrown.message} (character ${thrown.at + 1})`);
  }
}

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
};

function numericEntry(argument: JsonNode, path: string): LeafEntry {
  if (argument.kind !== 'array' || argument.items.length === 0 || argument.items.length % 2 === 1)
    throw new PatternFault(path, argument.offset, 'expected a list such as [">", 1, "<=", 5]');
  const tests: ((value: number) => boolean)[] = [];
  for (let index = 0; index < argument.items.length; index += 2)
    tests.push(comparisonOf(argument.items[index], argument.items[index + 1], `${path}[${index}]`));
  return {
    test: (value) => typeof value === 'number' && tests.every((test) => test(value)),
    alone: false,
  };
}

function comparisonOf(
  sign: JsonNode | undefined,
  bound: JsonNode | undefined,
  path: string,
): (value: number) => boolean {
  const name = sign?.kind === 'scalar' ? String(sign.value) : '';
  const compare = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined;
  if (compare === undefined)
    throw new PatternFault(path, sign?.offset ?? 0, `expected one of ${Object.keys(comparisons).join(' ')}`);
  if (bound?.kind !== 'scalar' || typeof bound.value !== 'number')
    throw new PatternFault(path, bound?.offset ?? 0, `expected a number after "${name}"`);
  const { value: limit } = bound;
  return (value) => compare(value, limit);
}
