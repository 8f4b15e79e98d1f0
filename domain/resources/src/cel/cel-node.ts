/** The tree of an expression as the CEL package has it inside: what is needed to count its evaluation and to estimate it. */

/** How a node is evaluated; the package sets it when it has checked types. */
interface NodeMeta {
  readonly evaluate: (evaluator: unknown, node: CelNode, context: unknown) => unknown;
  /** What a macro was turned into; it is evaluated instead. */
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

/** The nodes that are evaluated for a node, each maybe often. */
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

/** Lists of nodes, names and lists, whichever the operator has. */
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
