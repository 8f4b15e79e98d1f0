import { prepareArgument } from './builtin-call.ts';
import { byteLength, decodeUtf8, encodeUtf8 } from './go-string.ts';
import { ANY_VALUE, INT, STRING } from './go-type.ts';
import { FunctionError, typeName } from './printer.ts';
import {
  functionValue,
  heldAs,
  indirect,
  intValue,
  listValue,
  NIL,
  stringValue,
  unwrapInterface,
  zeroValue,
} from './value.ts';
import type { FunctionValue, Value } from './go-model.ts';

const ITEM_AND_INDEXES = {
  kind: 'func',
  params: [ANY_VALUE, ANY_VALUE],
  variadic: true,
  result: ANY_VALUE,
} as const;

/** The built-ins index, slice and len. */
export const COLLECTION_BUILTINS: readonly FunctionValue[] = [
  functionValue('index', ITEM_AND_INDEXES, ([item = NIL, ...indexes]) => indexInto(item, indexes)),
  functionValue('slice', ITEM_AND_INDEXES, ([item = NIL, ...indexes]) => sliceOfValue(item, indexes)),
  functionValue('len', { kind: 'func', params: [ANY_VALUE], variadic: false, result: INT }, ([item = NIL]) =>
    intValue(lengthOf(item)),
  ),
];

function indexInto(item: Value, indexes: readonly Value[]): Value {
  let current = unwrapInterface(item);
  if (current.kind === 'nil') throw new FunctionError('index of untyped nil');
  for (const index of indexes) {
    const { value, isNil } = indirect(current);
    if (isNil) throw new FunctionError('index of nil pointer');
    current = element(value, unwrapInterface(index));
  }
  return current;
}

function element(value: Value, index: Value): Value {
  switch (value.kind) {
    case 'slice': {
      const items = value.items ?? [];
      const item = items[inRange(position(index, items.length), items.length, 'slice')];
      return item === undefined ? NIL : heldAs(value.type.element, item);
    }
    case 'string': {
      const bytes = encodeUtf8(value.value);
      return intValue(bytes[inRange(position(index, bytes.length), bytes.length, 'string')] ?? 0, 'uint8');
    }
    case 'map': {
      const key = prepareArgument(index, STRING);
      const entry = key.kind === 'string' ? value.entries?.get(key.value) : undefined;
      return heldAs(value.type.element, entry ?? zeroValue(value.type.element));
    }
    default:
      throw new FunctionError(`can't index item of type ${typeName(value)}`);
  }
}

/** Go's own check allows an index equal to the length, and package reflect then panics. */
function inRange(index: number, length: number, kind: 'slice' | 'string'): number {
  if (index < length) return index;
  throw new FunctionError(`reflect: ${kind} index out of range`);
}

function position(index: Value, most: number): number {
  if (index.kind === 'nil') throw new FunctionError('cannot index slice/array with nil');
  if (index.kind !== 'integer') {
    throw new FunctionError(`cannot index slice/array with type ${typeName(index)}`);
  }
  const signed = BigInt.asIntN(64, index.value);
  if (signed < 0n || signed > BigInt(most)) throw new FunctionError(`index out of range: ${signed}`);
  return Number(signed);
}

function sliceOfValue(item: Value, indexes: readonly Value[]): Value {
  const inner = unwrapInterface(item);
  if (inner.kind === 'nil') throw new FunctionError('slice of untyped nil');
  const { value, isNil } = indirect(inner);
  if (isNil) throw new FunctionError('slice of nil pointer');
  if (indexes.length > 3) throw new FunctionError(`too many slice indexes: ${indexes.length}`);
  if (value.kind === 'string') {
    if (indexes.length === 3) throw new FunctionError('cannot 3-index slice a string');
    const bytes = encodeUtf8(value.value);
    const [from, to] = bounds(indexes, bytes.length);
    return stringValue(decodeUtf8(bytes.slice(from, to)));
  }
  if (value.kind !== 'slice') throw new FunctionError(`can't slice item of type ${typeName(value)}`);
  const items = value.items ?? [];
  const [from, to] = bounds(indexes, items.length);
  return listValue(items.slice(from, to), value.type);
}

/** Unlike index, slice does not unwrap an interface to find a number. */
function bounds(indexes: readonly Value[], length: number): [from: number, to: number] {
  const [from = 0, to = length, capacity = length] = indexes.map((index) => position(index, length));
  if (from > to) throw new FunctionError(`invalid slice index: ${from} > ${to}`);
  if (to > capacity) throw new FunctionError(`invalid slice index: ${to} > ${capacity}`);
  return [from, to];
}

function lengthOf(item: Value): number {
  const { value, isNil } = indirect(item);
  if (isNil) throw new FunctionError('len of nil pointer');
  switch (value.kind) {
    case 'string':
      return byteLength(value.value);
    case 'slice':
      return value.items?.length ?? 0;
    case 'map':
      return value.entries?.size ?? 0;
    case 'nil':
      throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
    default:
      throw new FunctionError(`len of type ${typeName(value)}`);
  }
}
