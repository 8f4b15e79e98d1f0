/**
 * Estimates what an expression may cost at worst, from the limits of its schema, before it ever runs (as
 * Kubernetes' apiserver does when a definition is created). Costs are those of cel-go: one for an operation,
 * a tenth for each character that is read.
 */
import type { Schema } from '../schema.ts';
import { childrenOf, isComprehension, type CelNode, type Comprehension } from './cel-node.ts';
import { listOf, plain, shapeOf, textOf, type Shape } from './shape.ts';

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
/** The length of a number as text. */
const NUMBER_CHARACTERS = 30;

/** `self` and `oldSelf` are values of the schema. */
export function estimatedCost(tree: CelNode, schema: Schema): number {
  const self = shapeOf(schema);
  return estimate(
    tree,
    new Map([
      ['self', self],
      ['oldSelf', self],
    ]),
  ).cost;
}

interface Estimate {
  readonly cost: number;
  readonly shape: Shape;
}

type Variables = ReadonlyMap<string, Shape>;

function estimate(node: CelNode, variables: Variables): Estimate {
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) return estimate(alternate, variables);
  if (macro?.val !== undefined && macro.exp !== undefined) {
    const value = estimate(macro.val, variables);
    const bound = estimate(macro.exp, new Map([...variables, [macro.var ?? '', value.shape]]));
    return { cost: value.cost + bound.cost, shape: bound.shape };
  }
  if (node.op === 'comprehension' && isComprehension(node.args)) return comprehension(node.args, variables);
  if (node.op === 'value')
    return { cost: 0, shape: typeof node.args === 'string' ? textOf(node.args.length) : plain };
  if (node.op === 'id') return { cost: 1, shape: variables.get(String(node.args)) ?? shapeOf(undefined) };
  return operation(node, variables);
}

/** The step runs once for each item, even if something ends the loop earlier. */
function comprehension({ iterable, iterVarName, step, kind }: Comprehension, variables: Variables): Estimate {
  const list = estimate(iterable, variables);
  const inner = new Map([...variables, [iterVarName, list.shape.inner()]]);
  const each = estimate(step, inner);
  const cost = list.cost + list.shape.size * (1 + each.cost);
  return { cost, shape: kind === 'quantifier' ? plain : listOf(list.shape.size, () => each.shape) };
}

function operation(node: CelNode, variables: Variables): Estimate {
  const parts = childrenOf(node).map((child) => estimate(child, variables));
  const cost = parts.reduce((sum, part) => sum + part.cost, 1);
  const shapes = parts.map((part) => part.shape);
  const args: readonly unknown[] = Array.isArray(node.args) ? node.args : [];
  const isCall = node.op === 'call' || node.op === 'rcall';
  const operators: Readonly<Record<string, Operator>> = isCall ? functions : others;
  const name = isCall ? String(args[0]) : node.op;
  const unknown = isCall ? anyFunction : undefined;
  const operator = Object.hasOwn(operators, name) ? operators[name] : unknown;
  const { more = 0, shape = plain } = operator?.(shapes, args) ?? {};
  return { cost: cost + more, shape };
}

/**
 * Returns the cost of an operator besides its operands, and its result. Without an entry it costs nothing and
 * returns a plain value.
 */
type Operator = (
  shapes: readonly Shape[],
  args: readonly unknown[],
) => { readonly more?: number; readonly shape?: Shape };

const compared: Operator = ([first = plain, second = plain]) => ({
  more: Math.min(first.size, second.size) * PER_CHARACTER,
});
const selected: Operator = ([object = plain], args) => ({ shape: object.field(String(args[1])) });
const indexed: Operator = ([object = plain]) => ({ shape: object.inner() });

const others: Readonly<Record<string, Operator>> = {
  '.': selected,
  '.?': selected,
  '[]': indexed,
  '[?]': indexed,
  '?:': ([, yes = plain, no = plain]) => ({ shape: largest([yes, no]) }),
  list: (shapes) => ({ shape: listOf(shapes.length, () => largest(shapes)) }),
  accuPush: ([item = plain]) => ({ shape: item }),
  '==': compared,
  '!=': compared,
  '<': compared,
  '<=': compared,
  '>': compared,
  '>=': compared,
  in: ([, within = plain]) => ({ more: within.isList ? within.size : 0 }),
  '+': (shapes) => ({
    more: total(shapes) * PER_CHARACTER,
    shape: { ...largest(shapes), size: total(shapes) },
  }),
};

const prefixed: Operator = ([, part = plain]) => ({ more: part.size * PER_CHARACTER });
const anyFunction: Operator = (shapes) => ({
  more: total(shapes) * PER_CHARACTER,
  shape: largest(shapes),
});

const functions: Readonly<Record<string, Operator>> = {
  has: () => ({}),
  size: () => ({}),
  startsWith: prefixed,
  endsWith: prefixed,
  matches: ([text = plain, pattern = plain]) => ({
    more: (text.size + 1) * PER_CHARACTER * pattern.size * PER_PATTERN_CHARACTER,
  }),
  contains: ([text = plain, part = plain]) => ({
    more: text.size * PER_CHARACTER * Math.max(1, part.size * PER_CHARACTER),
  }),
  split: ([text = plain]) => ({ more: text.size * PER_CHARACTER, shape: listOf(text.size, () => text) }),
  join: ([list = plain, separator = plain]) => ({
    more: total([list, separator]),
    shape: textOf(list.size * (list.inner().size + separator.size)),
  }),
  string: ([value = plain]) => ({
    more: value.size * PER_CHARACTER,
    shape: value.size === 1 ? textOf(NUMBER_CHARACTERS) : value,
  }),
};

function total(shapes: readonly Shape[]): number {
  return shapes.reduce((sum, { size }) => sum + size, 0);
}

function largest(shapes: readonly Shape[]): Shape {
  return shapes.reduce((one, other) => (one.size >= other.size ? one : other), plain);
}
