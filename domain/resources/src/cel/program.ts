/**
 * Runs expressions of the Common Expression Language under a budget, with regular expressions in linear time.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import { BoundedCache } from '@tinkerbell/wire';
import { Environment } from '@marcbachmann/cel-js';
import { compilePattern } from '../schema/pattern.ts';
import type { CelBudget } from './budget.ts';
import { childrenOf, isComprehension, isNode, type CelNode } from './cel-node.ts';

export interface Program {
  readonly tree: CelNode;
  /** Returns the value. Throws the error of the evaluation, including `overBudget`. */
  run(variables: Readonly<Record<string, unknown>>, budget: CelBudget): unknown;
}

/** The limit of a rule's length. The longest rule of a definition in use (Gateway API) has 600 characters. */
const CHARACTERS_MAX = 5_000;
/** The nesting of a rule, as in Kubernetes. The package counts that of brackets only, not that of operators. */
const DEPTH_MAX = 250;
/** The characters of text, or items of a list, that one unit of cost pays for. */
const ITEMS_PER_COST = 10;

/** A rule of 600 characters, the longest in use, has 130. Each takes 4 us when a rule first runs. */
const NODES_MAX = 1000;

let madeEnvironment: Environment | undefined;

/** Made at the first use, because it takes 2 ms and most commands of `tink` need none. */
function environment(): Environment {
  madeEnvironment ??= new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: NODES_MAX, maxDepth: 100, maxListElements: 1000, maxMapEntries: 1000 },
  })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn');
  return madeEnvironment;
}

/** In nodes. A node takes about 500 bytes. The definitions of the Gateway API have 4,000. */
const CACHED_NODES_MAX = 30_000;
/** The texts of the definitions that are or were served. */
const programs = new BoundedCache<Program>(CACHED_NODES_MAX);

/** Throws an Error for a text that is not an expression. */
export function programOf(text: string): Program {
  let program = programs.get(text);
  if (program === undefined) {
    if (text.length > CHARACTERS_MAX) throw new Error(`must be at most ${CHARACTERS_MAX} characters`);
    const evaluate = environment().parse(text);
    const tree: unknown = evaluate.ast;
    if (!isNode(tree)) throw new Error('is not an expression');
    const nodes = new Set<CelNode>();
    count(tree, nothing, { nodes, depth: 0 });
    program = { tree, run: (variables, budget) => running(budget, () => evaluate(variables) as unknown) };
    programs.set(text, program, nodes.size);
  }
  return program;
}

/** The budget of the running expression. Expressions never wait, so there is one at a time. */
let active: CelBudget | undefined;

function running<Result>(budget: CelBudget, evaluate: () => Result): Result {
  active = budget;
  try {
    return budget.run(evaluate);
  } finally {
    active = undefined;
  }
}

/** Operators that read their operands completely. */
const traversing = new Set(['==', '!=', '<', '<=', '>', '>=', '+', 'in', 'call', 'rcall']);

type Cost = (value: unknown) => number;
const nothing: Cost = () => 0;

/**
 * Makes a node, and all nodes in it, charge their cost whenever they are evaluated. `use` is what its parent
 * does with the value.
 */
function count(
  node: CelNode,
  use: Cost,
  { nodes, depth }: { readonly nodes: Set<CelNode>; readonly depth: number },
): void {
  if (nodes.has(node)) return;
  if (depth > DEPTH_MAX) throw new Error(`must be at most ${DEPTH_MAX} operators deep`);
  nodes.add(node);
  const evaluate = evaluatorOf(node);
  node.evaluate = (evaluator, _node, context) => {
    active?.take(1);
    const value = evaluate(node, evaluator, context);
    if (use !== nothing) active?.take(use(value));
    return value;
  };
  for (const child of childrenOf(node)) count(child, useOf(child, node), { nodes, depth: depth + 1 });
}

function useOf(child: CelNode, { op, args, meta }: CelNode): Cost {
  if (op === 'comprehension') return isComprehension(args) && child === args.iterable ? keysCost : nothing;
  if (meta.alternate !== undefined || meta.macro !== undefined) return nothing;
  return traversing.has(op) ? traversalCost : nothing;
}

/** Evaluates as the package does for unchanged nodes. */
function evaluateNode(node: CelNode, evaluator: unknown, context: unknown): unknown {
  const { alternate, macro, evaluate } = node.meta;
  if (alternate !== undefined) return alternate.evaluate(evaluator, alternate, context);
  if (macro !== undefined) return macro.evaluate(evaluator, macro, context);
  return evaluate(evaluator, node, context);
}

type Evaluate = (node: CelNode, evaluator: unknown, context: unknown) => unknown;

/** Methods of one argument that replace those of the package. */
const methods: Readonly<Record<string, (receiver: unknown, argument: unknown) => unknown>> = {
  matches: matchesPattern,
  join: joined,
};

function evaluatorOf(node: CelNode): Evaluate {
  if (node.op !== 'rcall' || !Array.isArray(node.args)) return evaluateNode;
  const [name, receiver, values]: readonly unknown[] = node.args;
  const [argument, ...more]: readonly unknown[] = Array.isArray(values) ? values : [];
  const method = typeof name === 'string' && Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined || !isNode(receiver) || !isNode(argument) || more.length > 0) return evaluateNode;
  return (_node, evaluator, context) =>
    method(receiver.evaluate(evaluator, receiver, context), argument.evaluate(evaluator, argument, context));
}

/**
 * `list.join(separator)`. The result may be as long as both multiplied, and is charged before it is created.
 */
function joined(list: unknown, separator: unknown): string {
  if (!Array.isArray(list) || typeof separator !== 'string' || list.some((item) => typeof item !== 'string'))
    throw new Error('join() takes a list of strings and a separator');
  const texts = list as readonly string[];
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  active?.take(Math.ceil(length / ITEMS_PER_COST));
  return texts.join(separator);
}

/** `text.matches(pattern)`. The package's own implementation backtracks and takes exponential time. */
function matchesPattern(text: unknown, source: unknown): boolean {
  if (typeof text !== 'string' || typeof source !== 'string')
    throw new Error('matches() takes a string and a pattern');
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new Error(`invalid pattern ${source.slice(0, 200)}: ${compiled.fault}`);
  active?.take(compiled.pattern.stepsFor(text));
  const matches = compiled.pattern.matches(text);
  if (matches === undefined)
    throw new Error(`at most ${compiled.pattern.charactersMax} characters can be matched with ${source}`);
  return matches;
}

/** A map is converted to a list of its keys before it is iterated. */
function keysCost(value: unknown): number {
  return isRecord(value) ? Math.ceil(Object.keys(value).length / ITEMS_PER_COST) : 0;
}

const sizes = new WeakMap<object, number>();

/** Returns the cost of comparing, copying or printing a value. */
function traversalCost(value: unknown): number {
  if (typeof value === 'string') return Math.ceil(value.length / ITEMS_PER_COST);
  if (!Array.isArray(value) && !isRecord(value)) return 0;
  let size = sizes.get(value);
  if (size === undefined) {
    const items: readonly unknown[] = Object.values(value);
    size = items.reduce<number>((sum, item) => sum + 1 + traversalCost(item), 0);
    sizes.set(value, size);
  }
  return Math.ceil(size / ITEMS_PER_COST);
}
