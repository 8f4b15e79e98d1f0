import { VALUE_DEPTH_MAX } from './limits.ts';
import { boolValue, floatValue, intValue, listValue, mapValue, NIL, stringValue } from './value.ts';
import type { Value } from './go-model.ts';

export interface FromJsonOptions {
  /** Go's encoding/json makes every number a float64 (the default). `int` makes whole numbers int. */
  readonly numbers?: 'float64' | 'int';
}

/**
 * Converts a JSON-shaped JavaScript value into map[string]interface{}, []interface{} and scalars. Reads own
 * enumerable properties only. Undefined properties are omitted, and undefined itself is nil. Throws a
 * RangeError on values nested deeper than VALUE_DEPTH_MAX, and a TypeError on values that JSON cannot hold.
 */
export function fromJson(value: unknown, options: FromJsonOptions = {}): Value {
  return convert(value, options.numbers ?? 'float64', 0);
}

function convert(value: unknown, numbers: 'float64' | 'int', depth: number): Value {
  if (depth > VALUE_DEPTH_MAX) throw new RangeError(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
  if (value === null || value === undefined) return NIL;
  switch (typeof value) {
    case 'boolean':
      return boolValue(value);
    case 'string':
      return stringValue(value.toWellFormed());
    case 'number':
      return convertNumber(value, numbers);
    case 'object':
      return convertObject(value, numbers, depth + 1);
    default:
      throw new TypeError(`a ${typeof value} is not a JSON value`);
  }
}

function convertNumber(value: number, numbers: 'float64' | 'int'): Value {
  return numbers === 'int' && Number.isSafeInteger(value) ? intValue(value) : floatValue(value);
}

function convertObject(value: object, numbers: 'float64' | 'int', depth: number): Value {
  if (Array.isArray(value)) return listValue(value.map((item) => convert(item, numbers, depth)));
  return mapValue(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key.toWellFormed(), convert(member, numbers, depth)] as const),
  );
}
