import type { CommandNode, OperandNode, PipeNode } from './ast.ts';
import type { Value } from './go-model.ts';

/** The arguments of a call as written, and the piped value as the last one, if any. */
export interface Invocation {
  readonly args: readonly OperandNode[];
  readonly final: Value | undefined;
}

export const NO_ARGUMENTS: Invocation = { args: [], final: undefined };

/** A function that is called by name. */
export interface NamedCall {
  readonly dot: Value;
  readonly name: Extract<OperandNode, { kind: 'identifier' }>;
  /** The node to blame when the function returns an error. */
  readonly node: CommandNode | OperandNode;
}

/** A node to evaluate, with the dot at its place. */
export interface Operand<Node = OperandNode> {
  readonly dot: Value;
  readonly node: Node;
}

export type PathNode = Extract<OperandNode, { kind: 'field' | 'chain' | 'variable' }>;

/** Evaluates arguments: operands contain pipelines, and pipelines contain operands. */
export interface Evaluator<Frame> {
  pipe(frame: Frame, dot: Value, pipe: PipeNode): Value;
  path(frame: Frame, operand: Operand<PathNode>, invocation: Invocation): Value;
  call(frame: Frame, callee: NamedCall, invocation: Invocation): Value;
}
