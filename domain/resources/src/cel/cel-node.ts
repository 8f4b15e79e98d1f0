/**
 * The tree of an expression inside the CEL package, as far as it is needed to count its evaluation and to
 * estimate it.
 */

/** The function that evaluates a node. The package sets it after it has checked types. */
interface NodeMeta {
  readonly evaluate: (evaluator: unknown, node: CelNode, context: unknown) => unknown;
  /** The expansion of a macro, which is evaluated instead. */
  readonly alternate?: CelNode;
  readonly macro?: {
    readonly evaluate: (evaluator: unknown, macro: unknown, context: unknown) => unknown;
    readonly var?: string;
    readonly val?: CelNode;
    readonly exp?: CelNode;
  };
}

export interface Comprehension {
  readonly iterable: CelNode;
  readonly iterVarName: string;
  readonly init: CelNode;
  readonly step: CelNode;
  readonly kind?: 'quantifier';
}

export interface CelNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: NodeMeta;
  evaluate(evaluator: unknown, node: CelNode, context: unknown): unknown;
}

/** Returns the nodes that are evaluated for a node, each possibly several times. */
export function childrenOf({ op, args, meta }: CelNode): readonly CelNode[] {
  if (meta.alternate !== undefined) return [meta.alternate];
  if (meta.macro !== undefined) return [meta.macro.val, meta.macro.exp].filter((one) => one !== undefined);
  switch (op) {
    case 'value':
    case 'id':
    case 'accuValue':
    case 'accuInc':
      return [];
    case 'comprehension':
      return isComprehension(args) ? [args.iterable, args.init, args.step] : [];
    default:
      return nodesIn(args);
  }
}

/** Reads nodes from lists of nodes, names and lists, depending on the operator. */
function nodesIn(args: unknown): readonly CelNode[] {
  if (Array.isArray(args)) return args.flatMap(nodesIn);
  return isNode(args) ? [args] : [];
}

export function isNode(value: unknown): value is CelNode {
  return typeof value === 'object' && value !== null && 'op' in value;
}

export function isComprehension(args: unknown): args is Comprehension {
  return typeof args === 'object' && args !== null && 'iterable' in args && 'step' in args;
}
