/** Go's types and values as templates see them. */

/**
 * The part of Go's type system that templates can see. It decides which arguments fit and what a missing map
 * key is, and it appears in error texts and in `printf "%T"`.
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
  /** A parameter that accepts the value unchanged, nil and interfaces included (Go's reflect.Value). */
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

/** A map with string keys, the only kind of map in template data. */
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
  /** Methods by name. They have priority over fields of the same name. */
  readonly methods?: ReadonlyMap<string, StructMethod>;
  /** Go's String method. Its result is printed instead of the fields. */
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
  /** The name in JSON (Go's struct tag). Default: the field's own name. */
  readonly jsonName?: string;
  /** Omitted from JSON when it has its zero value. */
  readonly omitEmpty?: boolean;
  /** Compared and printed, but not accessible to templates or in JSON. */
  readonly unexported?: boolean;
}

export interface FunctionType {
  readonly kind: 'func';
  readonly params: readonly GoType[];
  readonly variadic: boolean;
  readonly result: GoType;
}

/**
 * A Go value as templates see it. Everything that a template can reach is one of these plain objects. A name
 * in a template is only ever looked up in a Map or in a struct's field list, never as a property of a
 * JavaScript object.
 */
export type Value =
  /** Untyped nil, and the result of a missing map key (Go's zero reflect.Value). */
  | { readonly kind: 'nil' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | IntegerValue
  | { readonly kind: 'float64'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | SliceValue
  | MapValue
  | StructValue
  | PointerValue
  /** A value seen through a variable of type interface{}: an element of a []any or of a map[string]any. */
  | InterfaceValue
  | FunctionValue;

export interface IntegerValue {
  readonly kind: 'integer';
  readonly type: { readonly kind: IntegerKind };
  readonly value: bigint;
}

export interface SliceValue {
  readonly kind: 'slice';
  readonly type: SliceType;
  /** Null for a nil slice. */
  readonly items: readonly Value[] | null;
}

export interface MapValue {
  readonly kind: 'map';
  readonly type: MapType;
  /** Null for a nil map. Only functions that are documented as mutating (sprig's `set`) change it. */
  readonly entries: Map<string, Value> | null;
}

export interface StructValue {
  readonly kind: 'struct';
  readonly type: StructType;
  readonly fields: ReadonlyMap<string, Value>;
}

export interface PointerValue {
  readonly kind: 'pointer';
  readonly type: PointerType;
  readonly target: Value | null;
}

export interface InterfaceValue {
  readonly kind: 'interface';
  readonly value: Value;
}

export interface FunctionValue {
  readonly kind: 'func';
  readonly name: string;
  readonly type: FunctionType;
  readonly call: (args: readonly Value[], context: CallContext) => Value;
}

/** The context of a function besides its arguments. */
export interface CallContext {
  /**
   * Counts the size (characters or elements) of a value that the function is about to create against the
   * limit.
   */
  readonly spend: (size: number) => void;
}
