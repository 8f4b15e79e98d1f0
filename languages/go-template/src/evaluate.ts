import { NO_ARGUMENTS } from './evaluator.ts';
import type { Evaluator, Invocation, NamedCall, Operand, PathNode } from './evaluator.ts';
import type { CommandNode, OperandNode, PipeNode } from './ast.ts';
import { callFunction } from './call.ts';
import { evaluateArgument } from './argument.ts';
import { accessField } from './field-access.ts';
import type { Frame } from './frame.ts';
import { nodeText } from './node-text.ts';
import { quote } from './quoting.ts';
import { evaluateConstant } from './constant.ts';
import { NIL, unwrapInterface } from './value.ts';
import type { Value } from './go-model.ts';

/** Evaluates a pipeline and sets the variables it declares or assigns. */
export function evaluatePipe(frame: Frame, dot: Value, pipe: PipeNode): Value {
  const { meter } = frame.execution;
  meter.enter();
  frame.at(pipe);
  let value: Value | undefined;
  for (const command of pipe.commands) {
    meter.step();
    value = unwrapInterface(evaluateCommand(frame, { dot, node: command }, value));
  }
  const result = value ?? NIL;
  for (const variable of pipe.declarations) {
    const name = variable.path[0] ?? '';
    if (pipe.isAssign) frame.assign(name, result);
    else frame.push(name, result);
  }
  meter.leave();
  return result;
}

function evaluateCommand(frame: Frame, { dot, node }: Operand<CommandNode>, final: Value | undefined): Value {
  const [first] = node.args;
  if (first === undefined) return NIL;
  const isAlone = node.args.length === 1 && final === undefined;
  const invocation = isAlone ? NO_ARGUMENTS : { args: node.args.slice(1), final };
  switch (first.kind) {
    case 'field':
    case 'chain':
    case 'variable':
      return evaluatePath(frame, { dot, node: first }, invocation);
    case 'identifier':
      return evaluateFunction(frame, { dot, name: first, node }, invocation);
    case 'pipe':
      refuseArguments(frame, first, invocation);
      return evaluatePipe(frame, dot, first);
    case 'nil':
      frame.at(first);
      refuseArguments(frame, first, invocation);
      return frame.fail('nil is not a command');
    default:
      frame.at(first);
      refuseArguments(frame, first, invocation);
      return evaluateConstant(frame, dot, first);
  }
}

/** Evaluates `.a.b`, `$x.a` or `(...).a`. Arguments belong to the last name. */
export function evaluatePath(frame: Frame, { dot, node }: Operand<PathNode>, invocation: Invocation): Value {
  frame.at(node);
  switch (node.kind) {
    case 'field':
      return followPath(frame, dot, { dot, node, path: node.path, invocation });
    case 'variable': {
      const value = frame.lookup(node.path[0] ?? '');
      if (node.path.length > 1)
        return followPath(frame, value, { dot, node, path: node.path.slice(1), invocation });
      refuseArguments(frame, node, invocation);
      return value;
    }
    default: {
      if (node.of.kind === 'nil') frame.fail(`indirection through explicit nil in ${nodeText(node)}`);
      const receiver = evaluateArgument(frame, { dot, node: node.of }, undefined);
      return followPath(frame, receiver, { dot, node, path: node.path, invocation });
    }
  }
}

interface PathWalk {
  readonly dot: Value;
  readonly node: OperandNode;
  readonly path: readonly string[];
  readonly invocation: Invocation;
}

function followPath(frame: Frame, receiver: Value, { dot, node, path, invocation }: PathWalk): Value {
  const last = path.length - 1;
  let value = receiver;
  for (let at = 0; at <= last; at += 1)
    value = accessField(frame, value, {
      name: path[at] ?? '',
      dot,
      node,
      invocation: at === last ? invocation : NO_ARGUMENTS,
    });
  return value;
}

/** Calls a function by name. */
export function evaluateFunction(frame: Frame, callee: NamedCall, invocation: Invocation): Value {
  frame.at(callee.name);
  const { name } = callee.name;
  const found = frame.execution.functions.find(name);
  if (found === undefined) return frame.fail(`${quote(name)} is not a defined function`);
  return callFunction(frame, { dot: callee.dot, name, found, node: callee.node }, invocation);
}

function hasArguments({ args, final }: Invocation): boolean {
  return args.length > 0 || final !== undefined;
}

function refuseArguments(frame: Frame, node: OperandNode, invocation: Invocation): void {
  if (hasArguments(invocation)) frame.fail(`can't give argument to non-function ${nodeText(node)}`);
}

export const evaluator: Evaluator<Frame> = { pipe: evaluatePipe, path: evaluatePath, call: evaluateFunction };
