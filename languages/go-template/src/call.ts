import { evaluateArgument, fitType } from './argument.ts';
import type { CommandNode, OperandNode } from './ast.ts';
import { callValue } from './builtin-call.ts';
import type { Invocation } from './evaluator.ts';
import type { Frame } from './frame.ts';
import type { FoundFunction } from './function-table.ts';
import type { FunctionType, GoType } from './go-model.ts';
import { nodeText } from './node-text.ts';
import { FunctionError, typeName } from './printer.ts';
import { isTrue, NIL, unwrapInterface } from './value.ts';
import type { Value } from './go-model.ts';

export interface Callee {
  readonly dot: Value;
  readonly name: string;
  readonly found: FoundFunction;
  readonly node: CommandNode | OperandNode;
}

/** Checks and evaluates the arguments of a call, and calls the function. */
export function callFunction(frame: Frame, callee: Callee, invocation: Invocation): Value {
  const { type } = callee.found.value;
  checkCount(frame, callee, invocation);
  if (callee.found.isBuiltin && (callee.name === 'and' || callee.name === 'or')) {
    return shortCircuit(frame, callee, invocation);
  }
  const args = invocation.args.map((arg, i) =>
    asParameter(
      evaluateArgument(frame, { dot: callee.dot, node: arg }, parameter(type, i)),
      parameter(type, i),
    ),
  );
  if (invocation.final !== undefined) {
    // Go checks a piped value before the variadic part against its own parameter, and later ones against the
    // last.
    const last = parameter(type, args.length);
    args.push(asParameter(fitType(frame, invocation.final, last), last));
  }
  return invoke(frame, callee, { invocation, args });
}

interface EvaluatedCall {
  readonly invocation: Invocation;
  readonly args: readonly Value[];
}

function invoke(frame: Frame, callee: Callee, { invocation, args }: EvaluatedCall): Value {
  const { meter } = frame.execution;
  try {
    const isCall = callee.found.isBuiltin && callee.name === 'call';
    const result = isCall
      ? callValue(calledName(invocation), args, meter)
      : callee.found.value.call(args, meter);
    meter.spend(sizeOf(result));
    return result;
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    frame.at(callee.node);
    return frame.fail(`error calling ${callee.name}: ${error.message}`);
  }
}

function checkCount(frame: Frame, { name, found }: Callee, { args, final }: Invocation): void {
  const { params, variadic } = found.value.type;
  const given = args.length + (final === undefined ? 0 : 1);
  if (variadic && given < params.length - 1) {
    frame.fail(`wrong number of args for ${name}: want at least ${params.length - 1} got ${args.length}`);
  }
  if (!variadic && given !== params.length) {
    frame.fail(`wrong number of args for ${name}: want ${params.length} got ${given}`);
  }
}

function parameter(type: FunctionType, index: number): GoType | undefined {
  return type.params[Math.min(index, type.params.length - 1)];
}

/**
 * A Go function receives the value inside an interface. Only reflect.Value parameters receive the interface.
 */
function asParameter(value: Value, type: GoType | undefined): Value {
  return type?.kind === 'any-value' ? value : unwrapInterface(value);
}

function shortCircuit(frame: Frame, callee: Callee, { args, final }: Invocation): Value {
  const stopAt = callee.name === 'or';
  let value: Value = NIL;
  for (const arg of args) {
    value = evaluateArgument(frame, { dot: callee.dot, node: arg }, parameter(callee.found.value.type, 0));
    if (isTrue(unwrapInterface(value)) === stopAt) return value;
  }
  return final ?? value;
}

/** A piped callee is named by its value, as package reflect prints it. */
function calledName({ args, final }: Invocation): string {
  const [first] = args;
  if (first !== undefined) return nodeText(first);
  if (final?.kind === 'string') return final.value;
  return final === undefined || final.kind === 'nil' ? '<invalid Value>' : `<${typeName(final)} Value>`;
}

function sizeOf(value: Value): number {
  switch (value.kind) {
    case 'string':
      return value.value.length;
    case 'slice':
      return value.items?.length ?? 0;
    case 'map':
      return value.entries?.size ?? 0;
    default:
      return 1;
  }
}
