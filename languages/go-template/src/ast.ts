import type { NumberLiteral } from './number-literal.ts';

/**
 * The parsed template. `at` is an index into the source (Go's node position, which for `.a.b` is that of
 * `.b`). sourcePosition() converts it to line and column.
 */

export interface ListNode {
  readonly kind: 'list';
  readonly at: number;
  readonly nodes: readonly StatementNode[];
}

export type StatementNode =
  | { readonly kind: 'text'; readonly at: number; readonly text: string }
  | { readonly kind: 'action'; readonly at: number; readonly pipe: PipeNode }
  | { readonly kind: 'break' | 'continue'; readonly at: number }
  | BranchNode
  | TemplateCallNode;

export interface BranchNode {
  readonly kind: 'if' | 'range' | 'with';
  readonly at: number;
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList?: ListNode;
}

export interface TemplateCallNode {
  readonly kind: 'template';
  readonly at: number;
  readonly name: string;
  readonly pipe?: PipeNode;
}

export interface PipeNode {
  readonly kind: 'pipe';
  readonly at: number;
  readonly isAssign: boolean;
  readonly declarations: readonly VariableNode[];
  readonly commands: readonly CommandNode[];
}

export interface CommandNode {
  readonly kind: 'command';
  readonly at: number;
  readonly args: readonly OperandNode[];
}

export interface VariableNode {
  readonly kind: 'variable';
  readonly at: number;
  /** The variable with its `$`, then field names. */
  readonly path: readonly string[];
}

export interface NumberNode {
  readonly kind: 'number';
  readonly at: number;
  readonly text: string;
  readonly number: NumberLiteral;
  /** Becomes a float64 where its place does not decide. */
  readonly isFloat: boolean;
}

export type OperandNode =
  | { readonly kind: 'bool'; readonly at: number; readonly value: boolean }
  | { readonly kind: 'dot' | 'nil'; readonly at: number }
  | NumberNode
  | { readonly kind: 'string'; readonly at: number; readonly literal: string; readonly value: string }
  | { readonly kind: 'field'; readonly at: number; readonly path: readonly string[] }
  | { readonly kind: 'identifier'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'chain';
      readonly at: number;
      readonly of: OperandNode;
      readonly path: readonly string[];
    }
  | VariableNode
  | PipeNode;

export type AnyNode = ListNode | StatementNode | CommandNode | OperandNode;

/** One template of a set: the parsed one, or a `define`d or `block` part of it. */
export interface TemplateTree {
  readonly name: string;
  readonly root: ListNode;
}
