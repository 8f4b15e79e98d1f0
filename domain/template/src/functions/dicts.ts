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
  typeName,
  typeText,
  unwrapInterface,
  type Value,
} from '@tinkerbell/go-template';
import { mergeInto } from './merge-dicts.ts';
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
  pluck: {
    params: [STRING, INTERFACE_MAP],
    variadic: true,
    result: INTERFACE_SLICE,
    call: ([key, ...dicts]) => listValue(dicts.flatMap((dict) => entries(dict).get(text(key)) ?? [])),
  },
  pick: selected((key, names) => names.has(key)),
  omit: selected((key, names) => !names.has(key)),
  merge: merging(false),
  mustMerge: merging(false),
  mergeOverwrite: merging(true),
  mustMergeOverwrite: merging(true),
  dig: { params: [INTERFACE], variadic: true, call: dug },
};

function selected(takes: (key: string, names: ReadonlySet<string>) => boolean): FunctionSpec {
  return {
    params: [INTERFACE_MAP, STRING],
    variadic: true,
    result: INTERFACE_MAP,
    call: ([dict, ...keys], context) => {
      const names = new Set(keys.map(text));
      context.spend(entries(dict).size);
      return mapValue([...entries(dict)].filter(([key]) => takes(key, names)));
    },
  };
}

/**
 * mergo fails only for pointers to different types, which these dicts never hold. The must forms therefore
 * never fail.
 */
function merging(overwrite: boolean): FunctionSpec {
  return {
    params: [INTERFACE_MAP, INTERFACE_MAP],
    variadic: true,
    call: ([first, ...sources], context) => {
      const target = asMap(first);
      const result = target.entries === null && sources.length > 0 ? mapValue([]) : target;
      for (const source of sources) mergeInto(result, asMap(source), { overwrite, context });
      return result;
    },
  };
}

/**
 * The last argument is the dict, the one before it the default. The others are keys from the outermost to the
 * innermost.
 */
function dug(values: readonly Value[]): Value {
  if (values.length < 3) throw new FunctionError('dig needs at least three arguments');
  let current: Value = values.at(-1) ?? NIL;
  assertedMap(current);
  const keys = values.slice(0, -2).map(assertedString);
  for (const key of keys) {
    const found = assertedMap(current).entries?.get(key);
    if (found === undefined) return values.at(-2) ?? NIL;
    current = unwrapInterface(found);
  }
  return current;
}

function assertedMap(value: Value): MapValue {
  if (value.kind === 'map' && typeName(value) === typeText(INTERFACE_MAP)) return value;
  throw new FunctionError(conversionError(value, 'map[string]interface {}'));
}

function assertedString(value: Value): string {
  if (value.kind === 'string') return value.value;
  throw new FunctionError(conversionError(value, 'string'));
}

function conversionError(value: Value, wanted: string): string {
  const actual = value.kind === 'nil' ? 'nil' : typeName(value);
  return `interface conversion: interface {} is ${actual}, not ${wanted}`;
}

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
