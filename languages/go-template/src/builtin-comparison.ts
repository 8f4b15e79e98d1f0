import { compareStrings, normalizeBytes } from './go-string.ts';
import { ANY_VALUE, BOOL, integerShape } from './go-type.ts';
import type { GoType } from './go-model.ts';
import { VALUE_DEPTH_MAX } from './limits.ts';
import { FunctionError, formatValue, typeName } from './printer.ts';
import { boolValue, functionValue, heldAs, NIL, unwrapInterface } from './value.ts';
import type { CallContext, FunctionValue, StructValue, Value } from './go-model.ts';

type BasicKind = 'bool' | 'int' | 'uint' | 'float' | 'string' | 'other';

/** The built-ins eq, ne, lt, le, gt and ge. */
export const COMPARISON_BUILTINS: readonly FunctionValue[] = [
  comparison('eq', { params: [ANY_VALUE, ANY_VALUE], variadic: true }, ([left = NIL, ...rest], context) =>
    equalsAny(left, rest, context),
  ),
  comparison('ne', pairOf(), ([left = NIL, right = NIL], context) => !equalsAny(left, [right], context)),
  comparison('lt', pairOf(), ([left = NIL, right = NIL]) => isLess(left, right)),
  comparison('le', pairOf(), ([left = NIL, right = NIL], context) => isLessOrEqual(left, right, context)),
  comparison('gt', pairOf(), ([left = NIL, right = NIL], context) => !isLessOrEqual(left, right, context)),
  comparison('ge', pairOf(), ([left = NIL, right = NIL]) => !isLess(left, right)),
];

function pairOf(): { params: readonly GoType[]; variadic: boolean } {
  return { params: [ANY_VALUE, ANY_VALUE], variadic: false };
}

function comparison(
  name: string,
  signature: { params: readonly GoType[]; variadic: boolean },
  compare: (args: readonly Value[], context: CallContext) => boolean,
): FunctionValue {
  return functionValue(name, { kind: 'func', ...signature, result: BOOL }, (args, context) =>
    boolValue(compare(args, context)),
  );
}

function equalsAny(left: Value, rest: readonly Value[], context: CallContext): boolean {
  if (rest.length === 0) throw new FunctionError('missing argument for comparison');
  return rest.some((right) => equals(unwrapInterface(left), unwrapInterface(right), context));
}

function equals(left: Value, right: Value, context: CallContext): boolean {
  const leftKind = basicKind(left);
  const rightKind = basicKind(right);
  if (sameInteger(left, right)) return true;
  if (leftKind !== rightKind) {
    if (
      left.kind === 'nil' ||
      right.kind === 'nil' ||
      (left.kind === 'integer' && right.kind === 'integer')
    ) {
      return false;
    }
    throw new FunctionError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
  }
  if (leftKind !== 'other') return sameScalar(left, right);
  return equalComposites(left, right, context);
}

function equalComposites(left: Value, right: Value, context: CallContext): boolean {
  if (left.kind !== right.kind && left.kind !== 'nil' && right.kind !== 'nil') {
    const [a, b] = [shown(left, 's', context), shown(right, 'v', context)];
    throw new FunctionError(`non-comparable types ${a}: ${typeName(left)}, ${typeName(right)}: ${b}`);
  }
  if (isNil(left) || isNil(right)) return isNil(left) && isNil(right);
  if (!isComparable(right)) {
    throw new FunctionError(`non-comparable type ${shown(right, 's', context)}: ${typeName(right)}`);
  }
  return identical(left, right, 0);
}

function shown(value: Value, verb: 's' | 'v', context: CallContext): string {
  return formatValue(value, context, { verb });
}

function basicKind(value: Value): BasicKind {
  switch (value.kind) {
    case 'bool':
    case 'string':
      return value.kind;
    case 'float64':
      return 'float';
    case 'integer':
      return integerShape(value.type.kind)?.signed === false ? 'uint' : 'int';
    default:
      return 'other';
  }
}

function sameScalar(left: Value, right: Value): boolean {
  if (left.kind === 'string' && right.kind === 'string') {
    return normalizeBytes(left.value) === normalizeBytes(right.value);
  }
  if (left.kind === 'bool' && right.kind === 'bool') return left.value === right.value;
  if (left.kind === 'float64' && right.kind === 'float64') return left.value === right.value;
  return sameInteger(left, right);
}

function sameInteger(left: Value, right: Value): boolean {
  return left.kind === 'integer' && right.kind === 'integer' && left.value === right.value;
}

function isNil(value: Value): boolean {
  switch (value.kind) {
    case 'nil':
      return true;
    case 'slice':
      return value.items === null;
    case 'map':
      return value.entries === null;
    case 'pointer':
      return value.target === null;
    default:
      return false;
  }
}

function isComparable(value: Value): boolean {
  return value.kind === 'pointer' || (value.kind === 'struct' && comparableType(value.type));
}

function comparableType(type: GoType): boolean {
  if (type.kind === 'struct') return type.fields.every((field) => comparableType(field.type));
  return type.kind !== 'slice' && type.kind !== 'map' && type.kind !== 'func';
}

/** Go's == on structs and pointers. */
function identical(left: Value, right: Value, depth: number): boolean {
  if (depth > VALUE_DEPTH_MAX) throw new FunctionError(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
  if (left.kind === 'struct' && right.kind === 'struct') return sameStruct(left, right, depth);
  if (left.kind === 'pointer' && right.kind === 'pointer') return left.target === right.target;
  if (left.kind === 'interface' && right.kind === 'interface') {
    return identical(left.value, right.value, depth + 1);
  }
  return typeName(left) === typeName(right) && (left.kind === 'nil' || sameScalar(left, right));
}

function sameStruct(left: StructValue, right: StructValue, depth: number): boolean {
  if (left.type.name !== right.type.name) return false;
  return left.type.fields.every(({ name, type }) =>
    identical(
      heldAs(type, left.fields.get(name) ?? NIL),
      heldAs(type, right.fields.get(name) ?? NIL),
      depth + 1,
    ),
  );
}

function isLess(leftValue: Value, rightValue: Value): boolean {
  const left = unwrapInterface(leftValue);
  const right = unwrapInterface(rightValue);
  const kinds = [basicKind(left), basicKind(right)];
  if (kinds.includes('other')) throw new FunctionError('invalid type for comparison');
  if (left.kind === 'integer' && right.kind === 'integer') return left.value < right.value;
  if (left.kind === 'float64' && right.kind === 'float64') return left.value < right.value;
  if (left.kind === 'string' && right.kind === 'string') return compareStrings(left.value, right.value) < 0;
  if (kinds[0] === kinds[1]) throw new FunctionError('invalid type for comparison');
  throw new FunctionError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
}

function isLessOrEqual(left: Value, right: Value, context: CallContext): boolean {
  return isLess(left, right) || equals(unwrapInterface(left), unwrapInterface(right), context);
}
