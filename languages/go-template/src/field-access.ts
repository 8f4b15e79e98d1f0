import type { CommandNode, OperandNode } from './ast.ts';
import { callFunction } from './call.ts';
import type { Invocation } from './evaluator.ts';
import type { Frame } from './frame.ts';
import { typeText } from './go-type.ts';
import type { GoType } from './go-model.ts';
import { quote } from './quoting.ts';
import { functionValue, heldAs, indirect, NIL, typeOf, zeroValue } from './value.ts';
import type { MapValue, StructValue, Value } from './go-model.ts';

/** A name after a dot, its place, and the arguments of a method. */
export interface FieldReference {
  readonly name: string;
  readonly dot: Value;
  readonly node: CommandNode | OperandNode;
  readonly invocation: Invocation;
}

/** Returns the field, map entry or method result `name` of a value, or fails with Go's error. */
export function accessField(frame: Frame, receiver: Value, reference: FieldReference): Value {
  const { name, invocation } = reference;
  const type = typeOf(receiver);
  if (type === undefined) return fieldOfNothing(frame, name);
  const { value, isNil } = indirect(receiver);
  switch (value.kind) {
    case 'interface':
      return frame.fail(`nil pointer evaluating ${typeText(type)}.${name}`);
    case 'struct':
      if (value.type.methods?.has(name)) return callMethod(frame, value, reference);
      if (value.fields.has(name)) return structField(frame, { value, type }, reference);
      break;
    case 'map':
      if (hasArguments(invocation)) frame.fail(`${name} is not a method but has arguments`);
      return mapEntry(frame, value, name);
    case 'pointer':
      if (isNil && mayHaveField(value.type.element, name)) {
        frame.fail(`nil pointer evaluating ${typeText(type)}.${name}`);
      }
      break;
    default:
      break;
  }
  return frame.fail(`can't evaluate field ${name} in type ${typeText(type)}`);
}

function fieldOfNothing(frame: Frame, name: string): Value {
  if (frame.execution.missingKey === 'error') frame.fail(`nil data; no entry for key ${quote(name)}`);
  return NIL;
}

function callMethod(
  frame: Frame,
  receiver: StructValue,
  { name, dot, node, invocation }: FieldReference,
): Value {
  const method = receiver.type.methods?.get(name);
  if (method === undefined) return NIL;
  const { params, result } = method;
  const value = functionValue(name, { kind: 'func', params, variadic: false, result }, (args, context) =>
    method.call(receiver, args, context),
  );
  return callFunction(frame, { dot, name, found: { value, isBuiltin: false }, node }, invocation);
}

function hasArguments({ args, final }: Invocation): boolean {
  return args.length > 0 || final !== undefined;
}

function mayHaveField(type: GoType, name: string): boolean {
  return type.kind !== 'struct' || type.fields.some((field) => field.name === name);
}

/** A struct, and the type of the receiver through which it was reached. */
interface ReachedStruct {
  readonly value: StructValue;
  readonly type: GoType;
}

function structField(
  frame: Frame,
  { value, type }: ReachedStruct,
  { name, invocation }: FieldReference,
): Value {
  const declared = value.type.fields.find((field) => field.name === name);
  if (declared?.unexported === true) {
    frame.fail(`${name} is an unexported field of struct type ${typeText(type)}`);
  }
  if (hasArguments(invocation)) frame.fail(`${name} has arguments but cannot be invoked as function`);
  const field = value.fields.get(name) ?? NIL;
  return declared === undefined ? field : heldAs(declared.type, field);
}

function mapEntry(frame: Frame, map: MapValue, name: string): Value {
  const entry = map.entries?.get(name);
  if (entry !== undefined) return heldAs(map.type.element, entry);
  switch (frame.execution.missingKey) {
    case 'zero':
      return heldAs(map.type.element, zeroValue(map.type.element));
    case 'error':
      return frame.fail(`map has no entry for key ${quote(name)}`);
    default:
      return NIL;
  }
}
