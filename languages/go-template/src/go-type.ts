import type { CallContext, StructValue, Value } from './value.ts';

/**
 * The part of Go's type system that templates can see: it decides which arguments fit, what a missing map key is,
 * and it appears in error texts and in `printf "%T"`.
 */
export type IntegerKind =
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64';

export type GoType =
  | { readonly kind: 'bool' | 'string' | 'float64' | 'interface' | IntegerKind }
  /** A parameter that takes the value as it is, nil and interfaces included (Go's reflect.Value). */
  | { readonly kind: 'any-value' }
  | SliceType
  | MapType
  | PointerType
  | StructType
  | FunctionType;

export interface SliceType {
  readonly kind: 'slice';
  readonly element: GoType;
}

/** A map with string keys, the only maps template data has. */
export interface MapType {
  readonly kind: 'map';
  readonly element: GoType;
}

export interface PointerType {
  readonly kind: 'pointer';
  readonly element: GoType;
}

export interface StructType {
  readonly kind: 'struct';
  /** The name with its package, as in `tinkerbell.Interface`. */
  readonly name: string;
  readonly fields: readonly StructField[];
  /** By name; they come before fields of the same name. */
  readonly methods?: ReadonlyMap<string, StructMethod>;
  /** Go's String method: what is printed in place of the fields. */
  readonly text?: (value: StructValue) => string;
  /** Go's MarshalJSON, for types whose JSON is a string. */
  readonly jsonText?: (value: StructValue) => string;
}

export interface StructMethod {
  readonly params: readonly GoType[];
  readonly result: GoType;
  /** Throws FunctionError to fail. */
  readonly call: (receiver: StructValue, args: readonly Value[], context: CallContext) => Value;
}

export interface StructField {
  readonly name: string;
  readonly type: GoType;
  /** The name in JSON (Go's struct tag); the field's own name unless given. */
  readonly jsonName?: string;
  /** Left out of JSON when it has its zero value. */
  readonly omitEmpty?: boolean;
  /** Compared and printed, but neither reached by templates nor in JSON. */
  readonly unexported?: boolean;
}

export interface FunctionType {
  readonly kind: 'func';
  readonly params: readonly GoType[];
  readonly variadic: boolean;
  readonly result: GoType;
}

const INTEGER_BITS: ReadonlyMap<string, { bits: number; signed: boolean }> = new Map([
  ['int', { bits: 64, signed: true }],
  ['int8', { bits: 8, signed: true }],
  ['int16', { bits: 16, signed: true }],
  ['int32', { bits: 32, signed: true }],
  ['int64', { bits: 64, signed: true }],
  ['uint', { bits: 64, signed: false }],
  ['uint8', { bits: 8, signed: false }],
  ['uint16', { bits: 16, signed: false }],
  ['uint32', { bits: 32, signed: false }],
  ['uint64', { bits: 64, signed: false }],
]);

export const BOOL: GoType = { kind: 'bool' };
export const STRING: GoType = { kind: 'string' };
export const FLOAT64: GoType = { kind: 'float64' };
export const INT: GoType = { kind: 'int' };
export const INT64: GoType = { kind: 'int64' };
export const INTERFACE: GoType = { kind: 'interface' };
export const ANY_VALUE: GoType = { kind: 'any-value' };
export const INTERFACE_SLICE: SliceType = { kind: 'slice', element: INTERFACE };
export const STRING_SLICE: SliceType = { kind: 'slice', element: STRING };
export const INTERFACE_MAP: MapType = { kind: 'map', element: INTERFACE };
export const STRING_MAP: MapType = { kind: 'map', element: STRING };

/** Returns the type of a slice. */
export function sliceOf(element: GoType): SliceType {
  return { kind: 'slice', element };
}

/** Returns the type of a map from string. */
export function mapOf(element: GoType): MapType {
  return { kind: 'map', element };
}

/** Returns the type of a pointer. */
export function pointerTo(element: GoType): PointerType {
  return { kind: 'pointer', element };
}

/** Describes a struct: its name with package, and its exported fields in order. */
export function structType(name: string, fields: Readonly<Record<string, GoType>>): StructType {
  return {
    kind: 'struct',
    name,
    fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
  };
}

/** Says whether a kind is one of Go's integers, and how wide. */
export function integerShape(kind: string): { bits: number; signed: boolean } | undefined {
  return INTEGER_BITS.get(kind);
}

/** Returns the type as Go writes it. */
export function typeText(type: GoType): string {
  switch (type.kind) {
    case 'slice':
      return `[]${typeText(type.element)}`;
    case 'map':
      return `map[string]${typeText(type.element)}`;
    case 'pointer':
      return `*${typeText(type.element)}`;
    case 'struct':
      return type.name;
    case 'func':
      return functionText(type);
    case 'interface':
      return 'interface {}';
    case 'any-value':
      return 'reflect.Value';
    default:
      return type.kind;
  }
}

/** Says whether a value of the first type can stand where the second is wanted without conversion. */
export function isAssignable(from: GoType, to: GoType): boolean {
  return from === to || to.kind === 'interface' || (from.kind === to.kind && typeText(from) === typeText(to));
}

/** Says whether the type has a nil. */
export function canBeNil(type: GoType): boolean {
  return ['interface', 'map', 'pointer', 'slice', 'func', 'any-value'].includes(type.kind);
}

function functionText(type: FunctionType): string {
  const params = type.params.map((param, i) =>
    type.variadic && i === type.params.length - 1 ? `...${typeText(param)}` : typeText(param),
  );
  return `func(${params.join(', ')}) ${typeText(type.result)}`;
}
