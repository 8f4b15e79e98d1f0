/**
 * JSON schemas with TypeScript types. They have the eight builders that our kinds need, similar to typebox,
 * which costs every process 20 MB and 60 ms for the many others that it has.
 */
import { LIST_MAX, TEXT_MAX } from './schema-limits.ts';

declare const staticType: unique symbol;
const OPTIONAL = Symbol('optional');

/** A JSON schema for values of the type. */
export interface Schema<Value = unknown> {
  readonly [staticType]?: Value;
  /** Several types only in schemas of JSON, not in those of kinds. */
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly items?: Schema;
  readonly default?: unknown;
  /** Any other keyword. */
  readonly [keyword: string]: unknown;
}

/** A schema of a property that may be absent. */
export interface OptionalSchema<Value = unknown> extends Schema<Value> {
  readonly [OPTIONAL]: true;
}

/** The type of a schema's values. */
export type Static<Of extends Schema> = NonNullable<Of[typeof staticType]>;

type Properties = Readonly<Record<string, Schema>>;
type OptionalKeys<Of extends Properties> = {
  [Key in keyof Of]: Of[Key] extends OptionalSchema ? Key : never;
}[keyof Of];
type ObjectOf<Of extends Properties> = {
  [Key in Exclude<keyof Of, OptionalKeys<Of>>]: Static<Of[Key]>;
} & {
  [Key in OptionalKeys<Of>]?: Static<Of[Key]>;
};
type Flat<Of> = { [Key in keyof Of]: Of[Key] };

type Keywords = Readonly<Record<string, unknown>>;

export const Type = {
  String: (keywords: Keywords = {}): Schema<string> => ({
    type: 'string',
    maxLength: TEXT_MAX,
    ...keywords,
  }),
  Boolean: (keywords: Keywords = {}): Schema<boolean> => ({ type: 'boolean', ...keywords }),
  Integer: (keywords: Keywords = {}): Schema<number> => ({ type: 'integer', ...keywords }),
  Unknown: (): Schema => ({}),

  /** A schema that no other builder can express. The caller asserts its type. */
  Unsafe: <Value>(keywords: Keywords): Schema<Value> => keywords,

  Array: <Items extends Schema>(items: Items, keywords: Keywords = {}): Schema<Static<Items>[]> => ({
    type: 'array',
    items,
    maxItems: LIST_MAX,
    ...keywords,
  }),

  Optional<Of extends Schema>(schema: Of): OptionalSchema<Static<Of>> {
    const copy = { ...schema };
    markOptional(copy);
    return copy;
  },

  Object<const Of extends Properties>(properties: Of, keywords: Keywords = {}): Schema<Flat<ObjectOf<Of>>> {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
    return {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties,
      ...keywords,
    };
  },
};

/** The mark is not enumerable: it is for Type.Object and no keyword. */
function markOptional<Of extends Schema>(schema: Of): asserts schema is Of & OptionalSchema<Static<Of>> {
  Object.defineProperty(schema, OPTIONAL, { value: true });
}
