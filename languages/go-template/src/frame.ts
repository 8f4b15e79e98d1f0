import type { AnyNode } from './ast.ts';
import type { Evaluator } from './evaluator.ts';
import type { FunctionTable } from './function-table.ts';
import type { Meter } from './meter.ts';
import { nodeText } from './node-text.ts';
import type { ParsedSource } from './parser.ts';
import {
  executionError,
  TemplateFailure,
  type TemplateError,
  type TemplateErrorCode,
} from './template-error.ts';
import type { Value } from './go-model.ts';

export type MissingKey = 'default' | 'zero' | 'error';

/** One execution of a template set. */
export interface Execution {
  readonly parsed: ParsedSource;
  readonly functions: FunctionTable;
  readonly missingKey: MissingKey;
  readonly meter: Meter;
  readonly evaluator: Evaluator<Frame>;
  /** The running frame, so that an exceeded limit has a place. */
  current: Frame | undefined;
}

interface Variable {
  readonly name: string;
  value: Value;
}

/**
 * One template that is being executed: its variables, and the node that an error would be blamed on (Go's
 * exec state).
 */
export class Frame {
  readonly execution: Execution;
  readonly name: string;
  readonly templateDepth: number;
  readonly #variables: Variable[];
  #node: AnyNode | undefined;

  constructor(execution: Execution, name: string, start: { dot: Value; templateDepth: number }) {
    this.execution = execution;
    this.name = name;
    this.templateDepth = start.templateDepth;
    this.#variables = [{ name: '$', value: start.dot }];
  }

  /** Records the node that is being evaluated. */
  at(node: AnyNode): void {
    this.#node = node;
  }

  fail(message: string): never {
    throw new TemplateFailure(this.error(message, 'execute'));
  }

  error(message: string, code: TemplateErrorCode): TemplateError {
    const { name, source } = this.execution.parsed;
    const node = this.#node;
    if (node === undefined) {
      return {
        code,
        name: this.name,
        line: 1,
        column: 1,
        message,
        text: `template: ${this.name}: ${message}`,
      };
    }
    return executionError({
      source,
      at: node.at,
      parseName: name,
      name: this.name,
      expression: nodeText(node),
      message,
      code,
    });
  }

  /** Returns a mark of the variables in scope, for popTo. */
  mark(): number {
    return this.#variables.length;
  }

  popTo(mark: number): void {
    this.#variables.length = mark;
  }

  push(name: string, value: Value): void {
    this.#variables.push({ name, value });
  }

  /** Sets the nth variable from the top, counting from 1. */
  setFromTop(n: number, value: Value): void {
    const variable = this.#variables.at(-n);
    if (variable !== undefined) variable.value = value;
  }

  assign(name: string, value: Value): void {
    this.#variable(name).value = value;
  }

  lookup(name: string): Value {
    return this.#variable(name).value;
  }

  /** The innermost one of that name. */
  #variable(name: string): Variable {
    for (let at = this.#variables.length - 1; at >= 0; at -= 1) {
      const variable = this.#variables[at];
      if (variable?.name === name) return variable;
    }
    return this.fail(`undefined variable: ${name}`);
  }
}
