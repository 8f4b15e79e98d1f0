import {
  BOOL,
  boolValue,
  type CallContext,
  FunctionError,
  type FunctionSpec,
  INTERFACE,
  INTERFACE_MAP,
  INTERFACE_SLICE,
  listValue,
  mapValue,
  NIL,
  sortedEntries,
  STRING,
  STRING_SLICE,
  stringListValue,
  stringValue,
  type MapValue,
  type Value,
} from '@tinkerbell/go-template';
import { operand, shown, text } from './operands.ts';

/** Sprig's dictionary functions. Where Go's order is random, ours is sorted. */
export const DICT_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  dict: { params: [INTERFACE], variadic: true, result: INTERFACE_MAP, call: dictOf },
  get: {
    params: [INTERFACE_MAP, STRING],
    call: ([dict, key]) => entries(dict).get(text(key)) ?? stringValue(''),
  },
  set: {
    params: [INTERFACE_MAP, STRING, INTERFACE],
    result: INTERFACE_MAP,
    call: ([dict, key, value]) => {
      const map = asMap(dict);
      if (map.entries === null) throw new FunctionError('assignment to entry in nil map');
      map.entries.set(text(key), operand(value));
      return map;
    },
  },
  unset: {
    params: [INTERFACE_MAP, STRING],
    result: INTERFACE_MAP,
    call: ([dict, key]) => {
      const map = asMap(dict);
      map.entries?.delete(text(key));
      return map;
    },
  },
  hasKey: {
    params: [INTERFACE_MAP, STRING],
    result: BOOL,
    call: ([dict, key]) => boolValue(entries(dict).has(text(key))),
  },
  keys: {
    params: [INTERFACE_MAP],
    variadic: true,
    result: STRING_SLICE,
    call: (dicts) => stringListValue(dicts.flatMap((dict) => sortedEntries(asMap(dict)).map(([key]) => key))),
  },
  values: {
    params: [INTERFACE_MAP],
    result: INTERFACE_SLICE,
    call: ([dict]) => listValue(sortedEntries(asMap(dict)).map(([, value]) => value)),
  },
};

function dictOf(values: readonly Value[], context: CallContext): Value {
  const pairs: [string, Value][] = [];
  for (let i = 0; i < values.length; i += 2) {
    pairs.push([shown(values[i] ?? NIL, context), values[i + 1] ?? stringValue('')]);
  }
  return mapValue(pairs);
}

function asMap(value: Value | undefined): MapValue {
  return value?.kind === 'map' ? value : mapValue(null);
}

function entries(value: Value | undefined): ReadonlyMap<string, Value> {
  return asMap(value).entries ?? new Map();
}
