/**
 * Determines how large the values of a schema can be, from its limits. The estimate of a rule's cost is based
 * on it.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Schema } from '../schema.ts';

/** No value is larger than the request that contains it. */
export const REQUEST_BYTES_MAX = 3 * 1024 * 1024;
/** A date with nanoseconds and an offset. */
const DATE_CHARACTERS = 35;

export interface Shape {
  /** The characters of a text, items of a list, or entries of a map. 1 for anything else. */
  readonly size: number;
  readonly isList: boolean;
  /** Returns the shape of an item of a list, or of a value of a map. */
  inner(): Shape;
  /** Returns the shape of a field of an object. */
  field(name: string): Shape;
}

export const plain: Shape = { size: 1, isList: false, inner: () => plain, field: () => plain };
/** The shape of a value without a schema. */
const anything: Shape = {
  size: REQUEST_BYTES_MAX,
  isList: true,
  inner: () => anything,
  field: () => anything,
};

export function textOf(size: number): Shape {
  return { ...plain, size: Math.min(size, REQUEST_BYTES_MAX) };
}

export function listOf(size: number, inner: () => Shape): Shape {
  return { size, isList: true, inner, field: () => anything };
}

export function shapeOf(schema: Schema | undefined): Shape {
  switch (schema?.type) {
    case 'string':
      return textOf(textMax(schema));
    case 'array':
      return listOf(sizeOf(schema), () => shapeOf(schema.items));
    case 'object':
      return objectShape(schema);
    case 'integer':
    case 'number':
    case 'boolean':
      return plain;
    default:
      return anything;
  }
}

function objectShape(schema: Schema): Shape {
  const { properties = {}, additionalProperties } = schema;
  const value = isRecord(additionalProperties) ? additionalProperties : undefined;
  return {
    size: sizeOf(schema),
    isList: false,
    inner: () => shapeOf(value),
    field: (name) => shapeOf(Object.hasOwn(properties, name) ? properties[name] : value),
  };
}

function textMax(schema: Schema): number {
  const { maxLength, enum: values, format } = schema;
  if (typeof maxLength === 'number') return maxLength;
  if (Array.isArray(values)) return Math.max(0, ...values.map((one) => String(one).length));
  return format === 'date-time' ? DATE_CHARACTERS : REQUEST_BYTES_MAX;
}

/** Returns the maximum number of items of a list or entries of a map. */
export function sizeOf(schema: Schema): number {
  const { items, maxItems, additionalProperties, maxProperties, properties } = schema;
  if (schema.type === 'array')
    return typeof maxItems === 'number' ? maxItems : asManyAsFit(isRecord(items) ? items : undefined, 1);
  if (typeof maxProperties === 'number') return maxProperties;
  if (properties !== undefined && !isRecord(additionalProperties)) return Object.keys(properties).length;
  return asManyAsFit(isRecord(additionalProperties) ? additionalProperties : undefined, 5);
}

/** Returns how many values of a schema fit into one request. */
export function asManyAsFit(schema: Schema | undefined, more = 0): number {
  return Math.floor(REQUEST_BYTES_MAX / (bytesMin(schema) + more));
}

const smallest = new WeakMap<Schema, number>();

/** Returns the length of the smallest value as JSON. */
function bytesMin(schema: Schema | undefined): number {
  if (schema === undefined) return 1;
  let bytes = smallest.get(schema);
  if (bytes === undefined) smallest.set(schema, (bytes = computedMin(schema)));
  return bytes;
}

function computedMin({ type, required = [], properties = {} }: Schema): number {
  if (type === 'string' || type === 'array') return 2;
  if (type === 'boolean') return 4;
  if (type !== 'object') return 1;
  return required.reduce((sum, name) => sum + name.length + 4 + bytesMin(properties[name]), 2);
}
