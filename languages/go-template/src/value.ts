import type {
  FunctionType,
  FunctionValue,
  GoType,
  IntegerKind,
  IntegerValue,
  MapType,
  MapValue,
  PointerType,
  PointerValue,
  SliceType,
  SliceValue,
  StructField,
  StructType,
  StructValue,
  Value,
} from './go-model.ts';
import {
  BOOL,
  FLOAT64,
  integerShape,
  INTERFACE,
  INTERFACE_MAP,
  INTERFACE_SLICE,
  STRING,
  STRING_SLICE,
} from './go-type.ts';

export const NIL: Value = { kind: 'nil' };
export const TRUE: Value = { kind: 'bool', value: true };
export const FALSE: Value = { kind: 'bool', value: false };

export function boolValue(value: boolean): Value {
  return value ? TRUE : FALSE;
}

export function stringValue(value: string): Value {
  return { kind: 'string', value };
}

export function floatValue(value: number): Value {
  return { kind: 'float64', value };
}

/** Indexes and lengths are mostly small. */
const SMALL_INTS = Array.from({ length: 256 }, (_, index): IntegerValue => ({
  kind: 'integer',
  type: { kind: 'int' },
  value: BigInt(index),
}));

/** Returns an integer, wrapped around to the kind's width as Go's arithmetic does. */
export function intValue(value: number | bigint, kind: IntegerKind = 'int'): IntegerValue {
  const small = kind === 'int' && typeof value === 'number' ? SMALL_INTS[value] : undefined;
  if (small !== undefined) return small;
  const { bits, signed } = integerShape(kind) ?? { bits: 64, signed: true };
  const big = BigInt(value);
  return {
    kind: 'integer',
    type: { kind },
    value: signed ? BigInt.asIntN(bits, big) : BigInt.asUintN(bits, big),
  };
}

/** Returns a slice, by default []interface{}. */
export function listValue(items: readonly Value[] | null, type: SliceType = INTERFACE_SLICE): SliceValue {
  return { kind: 'slice', type, items };
}

export function stringListValue(items: readonly string[]): SliceValue {
  return listValue(items.map(stringValue), STRING_SLICE);
}

/** Returns a map with string keys, by default map[string]interface{}. */
export function mapValue(
  entries: Iterable<readonly [string, Value]> | null,
  type: MapType = INTERFACE_MAP,
): MapValue {
  return { kind: 'map', type, entries: entries === null ? null : new Map(entries) };
}

/** Returns a struct. Fields that are not given have their zero value. */
export function structValue(type: StructType, given: Readonly<Record<string, Value>>): StructValue {
  const fields = new Map<string, Value>();
  for (const field of type.fields) {
    fields.set(
      field.name,
      Object.hasOwn(given, field.name) ? (given[field.name] ?? NIL) : zeroValue(field.type),
    );
  }
  return { kind: 'struct', type, fields };
}

/** Returns the fields of a struct in order, each as a Go variable of its type holds it. */
export function heldFields(value: StructValue): { readonly field: StructField; readonly value: Value }[] {
  return value.type.fields.map((field) => ({
    field,
    value: heldAs(field.type, value.fields.get(field.name) ?? NIL),
  }));
}

/** Returns a pointer to the value, or a nil pointer. */
export function pointerValue(type: PointerType, target: Value | null): PointerValue {
  return { kind: 'pointer', type, target };
}

/** Returns a function as a value, for `call` and for function maps. */
export function functionValue(name: string, type: FunctionType, call: FunctionValue['call']): FunctionValue {
  return { kind: 'func', name, type, call };
}

/** Returns the dynamic type, or undefined for nil, which has none. */
export function typeOf(value: Value): GoType | undefined {
  switch (value.kind) {
    case 'nil':
      return undefined;
    case 'bool':
      return BOOL;
    case 'string':
      return STRING;
    case 'float64':
      return FLOAT64;
    case 'interface':
      return INTERFACE;
    default:
      return value.type;
  }
}

/** Returns the initial value of a Go variable of this type. */
export function zeroValue(type: GoType): Value {
  switch (type.kind) {
    case 'bool':
      return FALSE;
    case 'string':
      return stringValue('');
    case 'float64':
      return floatValue(0);
    case 'interface':
    case 'func':
    case 'any-value':
      return NIL;
    case 'slice':
      return listValue(null, type);
    case 'map':
      return mapValue(null, type);
    case 'pointer':
      return pointerValue(type, null);
    case 'struct':
      return structValue(type, {});
    default:
      return intValue(0, type.kind);
  }
}

/** Returns a value as an element or field of the given type holds it. */
export function heldAs(type: GoType, value: Value): Value {
  return type.kind === 'interface' && value.kind !== 'interface' ? { kind: 'interface', value } : value;
}

/** Returns the value inside an interface. */
export function unwrapInterface(value: Value): Value {
  return value.kind === 'interface' ? value.value : value;
}

/**
 * Follows pointers and interfaces to the value. `isNil` is true when one of them was nil, and then `value` is
 * that one.
 */
export function indirect(value: Value): { value: Value; isNil: boolean } {
  let current = value;
  for (;;) {
    if (current.kind === 'pointer') {
      if (current.target === null) return { value: current, isNil: true };
      current = current.target;
    } else if (current.kind === 'interface') {
      if (current.value.kind === 'nil') return { value: current, isNil: true };
      current = current.value;
    } else return { value: current, isNil: false };
  }
}

/** Returns true if the value counts as true: non-zero, non-empty, non-nil. A struct always does. */
export function isTrue(value: Value): boolean {
  switch (value.kind) {
    case 'nil':
      return false;
    case 'bool':
      return value.value;
    case 'integer':
      return value.value !== 0n;
    case 'float64':
      return value.value !== 0;
    case 'string':
      return value.value.length > 0;
    case 'pointer':
      return value.target !== null;
    case 'interface':
      return value.value.kind !== 'nil';
    default:
      return isNotEmpty(value);
  }
}

function isNotEmpty(value: SliceValue | MapValue | StructValue | FunctionValue): boolean {
  if (value.kind === 'slice') return value.items !== null && value.items.length > 0;
  return value.kind !== 'map' || (value.entries !== null && value.entries.size > 0);
}
