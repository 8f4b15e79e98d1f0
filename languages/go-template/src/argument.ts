import type { OperandNode } from './ast.ts';
import { evaluateConstant } from './constant.ts';
import { NO_ARGUMENTS, type Operand } from './evaluator.ts';
import type { Frame } from './frame.ts';
import { canBeNil, integerShape, isAssignable, typeText } from './go-type.ts';
import type { GoType, IntegerKind } from './go-model.ts';
import { nodeText } from './node-text.ts';
import { floatValue, intValue, typeOf, zeroValue } from './value.ts';
import type { Value } from './go-model.ts';

/** Evaluates an operand where a value of the type is expected. Any value is accepted when there is no type. */
export function evaluateArgument(frame: Frame, { dot, node }: Operand, type: GoType | undefined): Value {
  frame.at(node);
  const { evaluator } = frame.execution;
  switch (node.kind) {
    case 'dot':
      return fitType(frame, dot, type);
    case 'nil':
      return nilArgument(frame, type);
    case 'field':
    case 'variable':
    case 'chain':
      return fitType(frame, evaluator.path(frame, { dot, node }, NO_ARGUMENTS), type);
    case 'pipe':
      return fitType(frame, evaluator.pipe(frame, dot, node), type);
    case 'identifier':
      return fitType(frame, evaluator.call(frame, { dot, name: node, node }, NO_ARGUMENTS), type);
    default:
      return type === undefined
        ? evaluateConstant(frame, dot, node)
        : constantArgument(frame, { dot, node }, type);
  }
}

function nilArgument(frame: Frame, type: GoType | undefined): Value {
  if (type !== undefined && canBeNil(type)) return zeroValue(type);
  return frame.fail(`cannot assign nil to ${type === undefined ? '' : typeText(type)}`);
}

/**
 * Returns the value if it fits the type, through one pointer if necessary. Otherwise it fails with Go's
 * error.
 */
export function fitType(frame: Frame, value: Value, type: GoType | undefined): Value {
  if (type === undefined || type.kind === 'any-value') return value;
  const own = typeOf(value);
  if (own === undefined) {
    return canBeNil(type) ? zeroValue(type) : frame.fail(`invalid value; expected ${typeText(type)}`);
  }
  if (isAssignable(own, type)) return value;
  if (value.kind === 'interface' && value.value.kind !== 'nil') {
    const inner = typeOf(value.value);
    if (inner !== undefined && isAssignable(inner, type)) return value.value;
    return dereference(frame, value.value, type);
  }
  return dereference(frame, value, type);
}

function dereference(frame: Frame, value: Value, type: GoType): Value {
  if (value.kind === 'pointer' && isAssignable(value.type.element, type)) {
    return value.target ?? frame.fail(`dereference of nil pointer of type ${typeText(type)}`);
  }
  const own = typeOf(value);
  return frame.fail(
    `wrong type for value; expected ${typeText(type)}; got ${own === undefined ? '<nil>' : typeText(own)}`,
  );
}

type ConstantNode = Extract<OperandNode, { kind: 'bool' | 'number' | 'string' }>;

function constantArgument(frame: Frame, { dot, node }: Operand<ConstantNode>, type: GoType): Value {
  switch (type.kind) {
    case 'interface':
    case 'any-value':
      return evaluateConstant(frame, dot, node);
    case 'bool':
    case 'string':
      return node.kind === type.kind ? evaluateConstant(frame, dot, node) : expected(frame, type.kind, node);
    case 'float64': {
      const float = node.kind === 'number' ? node.number.float : undefined;
      return float === undefined ? expected(frame, 'float', node) : floatValue(float);
    }
    default:
      return integerArgument(frame, node, type);
  }
}

function integerArgument(frame: Frame, node: ConstantNode, type: GoType): Value {
  if (!isInteger(type)) return frame.fail(`can't handle ${nodeText(node)} for arg of type ${typeText(type)}`);
  const signed = integerShape(type.kind)?.signed ?? true;
  const literal = node.kind === 'number' ? node.number : {};
  const number = signed ? literal.int : literal.uint;
  if (number === undefined) return expected(frame, signed ? 'integer' : 'unsigned integer', node);
  return intValue(number, type.kind);
}

function isInteger(type: GoType): type is { kind: IntegerKind } {
  return integerShape(type.kind) !== undefined;
}

function expected(frame: Frame, wanted: string, node: OperandNode): never {
  return frame.fail(`expected ${wanted}; found ${nodeText(node)}`);
}
