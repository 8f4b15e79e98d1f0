import type { BranchNode, ListNode, StatementNode, TemplateCallNode } from './ast.ts';
import { evaluatePipe } from './evaluate.ts';
import { Frame } from './frame.ts';
import { nodeText } from './node-text.ts';
import { quote } from './quoting.ts';
import { formatValue, sortedEntries, sprint, typeName } from './printer.ts';
import { LimitExceeded } from './meter.ts';
import { heldAs, indirect, intValue, isTrue, NIL, unwrapInterface } from './value.ts';
import type { IntegerValue, Value } from './go-model.ts';

/** How a statement ended: normally, or by leaving the loop around it. */
type Ending = 'next' | 'break' | 'continue';

/** Executes the statements of a list with the given dot. */
export function walkList(frame: Frame, dot: Value, list: ListNode): Ending {
  frame.at(list);
  for (const node of list.nodes) {
    const ending = walk(frame, dot, node);
    if (ending !== 'next') return ending;
  }
  return 'next';
}

function walk(frame: Frame, dot: Value, node: StatementNode): Ending {
  frame.at(node);
  const { meter } = frame.execution;
  meter.step();
  switch (node.kind) {
    case 'text':
      meter.write(node.text);
      return 'next';
    case 'action': {
      const value = evaluatePipe(frame, dot, node.pipe);
      if (node.pipe.declarations.length === 0) printResult(frame, value, node);
      return 'next';
    }
    case 'break':
    case 'continue':
      return node.kind;
    default:
      return walkNested(frame, dot, node);
  }
}

function walkNested(frame: Frame, dot: Value, node: TemplateCallNode | BranchNode): Ending {
  const { meter } = frame.execution;
  let ending: Ending = 'next';
  meter.enter();
  if (node.kind === 'template') walkTemplate(frame, dot, node);
  else ending = node.kind === 'range' ? walkRange(frame, dot, node) : walkBranch(frame, dot, node);
  meter.leave();
  return ending;
}

function walkBranch(frame: Frame, dot: Value, node: BranchNode): Ending {
  const mark = frame.mark();
  const value = evaluatePipe(frame, dot, node.pipe);
  let ending: Ending = 'next';
  if (isTrue(unwrapInterface(value))) ending = walkList(frame, node.kind === 'with' ? value : dot, node.list);
  else if (node.elseList !== undefined) ending = walkList(frame, dot, node.elseList);
  frame.popTo(mark);
  return ending;
}

function walkRange(frame: Frame, dot: Value, node: BranchNode): Ending {
  const outer = frame.mark();
  const { value } = indirect(evaluatePipe(frame, dot, node.pipe));
  const inner = frame.mark();
  let ran = false;
  for (const iteration of iterations(frame, value, node)) {
    ran = true;
    frame.execution.meter.step();
    setLoopVariables(frame, node, iteration);
    const ending = walkList(frame, iteration.element, node.list);
    frame.popTo(inner);
    if (ending === 'break') break;
  }
  const ending = !ran && node.elseList !== undefined ? walkList(frame, dot, node.elseList) : 'next';
  frame.popTo(outer);
  // A break in the else part also leaves this range: Go catches it here, and a continue in the loop around.
  return ending === 'break' ? 'next' : ending;
}

interface Iteration {
  readonly index: Value;
  readonly element: Value;
}

function setLoopVariables(frame: Frame, node: BranchNode, { index, element }: Iteration): void {
  const { declarations, isAssign } = node.pipe;
  const first = declarations[0]?.path[0];
  const second = declarations[1]?.path[0];
  if (first === undefined) return;
  if (isAssign) {
    frame.assign(first, second === undefined ? element : index);
    if (second !== undefined) frame.assign(second, element);
    return;
  }
  frame.setFromTop(1, element);
  if (second !== undefined) frame.setFromTop(2, index);
}

function* iterations(frame: Frame, value: Value, node: BranchNode): Generator<Iteration> {
  switch (value.kind) {
    case 'integer':
      yield* integers(frame, value, node);
      return;
    case 'slice': {
      let at = 0;
      for (const item of value.items ?? [])
        yield { index: intValue(at++), element: heldAs(value.type.element, item) };
      return;
    }
    case 'map':
      for (const [key, element] of sortedEntries(value)) {
        yield { index: { kind: 'string', value: key }, element: heldAs(value.type.element, element) };
      }
      return;
    case 'nil':
      return;
    default:
      frame.fail(`range can't iterate over ${shown(frame, value)}`);
  }
}

function* integers(frame: Frame, value: IntegerValue, node: BranchNode): Generator<Iteration> {
  if (node.pipe.declarations.length > 1) {
    frame.fail(`can't use ${value.value} to iterate over more than one variable`);
  }
  const most = frame.execution.meter.limits.rangeCount;
  if (value.value > BigInt(most)) throw new LimitExceeded(`range over an integer larger than ${most}`);
  for (let i = 0n; i < value.value; i++) yield { index: NIL, element: intValue(i, value.type.kind) };
}

function walkTemplate(frame: Frame, dot: Value, node: TemplateCallNode): void {
  const { execution } = frame;
  const tree = execution.parsed.trees.get(node.name);
  if (tree === undefined) return frame.fail(`template ${quote(node.name)} not defined`);
  const most = execution.meter.limits.templateDepth;
  if (frame.templateDepth >= most) {
    throw new LimitExceeded(`exceeded maximum template depth (${most})`);
  }
  const argument = node.pipe === undefined ? NIL : evaluatePipe(frame, dot, node.pipe);
  const inner = new Frame(execution, tree.name, { dot: argument, templateDepth: frame.templateDepth + 1 });
  execution.current = inner;
  walkList(inner, argument, tree.root);
  execution.current = frame;
}

function printResult(frame: Frame, value: Value, node: StatementNode): void {
  frame.at(node);
  const { meter } = frame.execution;
  const printable = value.kind === 'pointer' ? indirect(value).value : value;
  if (printable.kind === 'nil') {
    meter.write('<no value>');
  } else if (printable.kind === 'func') {
    frame.fail(`can't print ${nodeText(node)} of type ${typeName(value)}`);
  } else if (printable.kind === 'string') {
    meter.spend(1 + printable.value.length);
    meter.write(printable.value);
  } else {
    meter.write(sprint([printable], meter));
  }
}

function shown(frame: Frame, value: Value): string {
  return value.kind === 'interface' && value.value.kind === 'nil'
    ? '<nil>'
    : formatValue(value, frame.execution.meter);
}
