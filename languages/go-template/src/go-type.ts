import type { FunctionType, GoType, MapType, PointerType, SliceType, StructType } from './go-model.ts';

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

/** Returns whether a kind is one of Go's integers, and its width. */
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

/** Returns true if a value of the first type can be used as the second without conversion. */
export function isAssignable(from: GoType, to: GoType): boolean {
  return from === to || to.kind === 'interface' || (from.kind === to.kind && typeText(from) === typeText(to));
}

/** Returns true if the type has a nil. */
export function canBeNil(type: GoType): boolean {
  return ['interface', 'map', 'pointer', 'slice', 'func', 'any-value'].includes(type.kind);
}

function functionText(type: FunctionType): string {
  const params = type.params.map((param, i) =>
    type.variadic && i === type.params.length - 1 ? `...${typeText(param)}` : typeText(param),
  );
  return `func(${params.join(', ')}) ${typeText(type.result)}`;
}
