import {
  BOOL,
  boolValue,
  type CallContext,
  compareStrings,
  FunctionError,
  type FunctionSpec,
  INT,
  INTERFACE,
  INTERFACE_SLICE,
  listValue,
  NIL,
  sliceOf,
  STRING_SLICE,
  stringListValue,
  typeName,
  unwrapInterface,
  type Value,
} from '@tinkerbell/go-template';
import { deepEqual } from './deep-equal.ts';
import { isEmpty } from './defaults.ts';
import { kindName } from './reflection.ts';
import { integer, operand, shown, texts, toInt64 } from './operands.ts';

const MAKES_A_LIST: Pick<FunctionSpec, 'params' | 'variadic' | 'result'> = {
  params: [INTERFACE],
  variadic: true,
  result: INTERFACE_SLICE,
};

/**
 * Each also has a form whose name begins with `must`. In Go that one returns an error where the other panics.
 */
const WITH_MUST_FORM: Readonly<Record<string, FunctionSpec>> = {
  first: { params: [INTERFACE], call: ([list]) => itemsOf(list, 'find first on').at(0) ?? NIL },
  last: { params: [INTERFACE], call: ([list]) => itemsOf(list, 'find last on').at(-1) ?? NIL },
  rest: partOf('find rest on', (items) => (items.length === 0 ? null : items.slice(1))),
  initial: partOf('find initial on', (items) => (items.length === 0 ? null : items.slice(0, -1))),
  reverse: partOf('find reverse on', (items) => items.toReversed()),
  compact: partOf('compact on', (items) => items.filter((item) => !isEmpty(unwrapInterface(item)))),
  uniq: partOf('find uniq on', uniqueItems),
  append: added('push on', (items, value) => [...items, value]),
  push: added('push on', (items, value) => [...items, value]),
  prepend: added('prepend on', (items, value) => [value, ...items]),
  without: {
    params: [INTERFACE, INTERFACE],
    variadic: true,
    result: INTERFACE_SLICE,
    call: ([list, ...omitted], context) =>
      listValue(
        itemsOf(list, 'find without on').filter(
          (item) => !omitted.some((one) => deepEqual(one, item, context)),
        ),
      ),
  },
  has: {
    params: [INTERFACE, INTERFACE],
    result: BOOL,
    call: ([needle, list], context) => {
      if (operand(list).kind === 'nil') return boolValue(false);
      return boolValue(
        itemsOf(list, 'find has on').some((item) => deepEqual(operand(needle), item, context)),
      );
    },
  },
  slice: {
    params: [INTERFACE, INTERFACE],
    variadic: true,
    call: ([list, ...indexes]) => sliceOfList(operand(list), indexes),
  },
  chunk: {
    params: [INT, INTERFACE],
    result: sliceOf(INTERFACE_SLICE),
    call: ([size, list], context) => chunks(itemsOf(list, 'chunk'), integer(size), context),
  },
};

/** Sprig's list functions. Any Go slice is accepted as a list. The result is a []interface{}. */
export const LIST_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  list: { ...MAKES_A_LIST, call: (values) => listValue([...values]) },
  tuple: { ...MAKES_A_LIST, call: (values) => listValue([...values]) },
  ...WITH_MUST_FORM,
  ...Object.fromEntries(
    Object.entries(WITH_MUST_FORM).map(([name, spec]) => [
      `must${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      spec,
    ]),
  ),
  concat: { params: [INTERFACE], variadic: true, call: concatenated },
  sortAlpha: {
    params: [INTERFACE],
    result: STRING_SLICE,
    call: ([list], context) => stringListValue(sortedTexts(operand(list), context)),
  },
};

/** Returns the items of a list, or fails as sprig does: `Cannot <operation> type <kind>`. */
export function itemsOf(list: Value | undefined, operation: string): readonly Value[] {
  const value = operand(list);
  if (value.kind === 'slice') return value.items ?? [];
  if (value.kind === 'nil') {
    throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
  }
  throw new FunctionError(`Cannot ${operation} type ${kindName(value)}`);
}

function partOf(
  operation: string,
  take: (items: readonly Value[], context: CallContext) => readonly Value[] | null,
): FunctionSpec {
  return {
    params: [INTERFACE],
    result: INTERFACE_SLICE,
    call: ([list], context) => listValue(take(itemsOf(list, operation), context)),
  };
}

function added(
  operation: string,
  add: (items: readonly Value[], value: Value) => readonly Value[],
): FunctionSpec {
  return {
    params: [INTERFACE, INTERFACE],
    result: INTERFACE_SLICE,
    call: ([list, value]) => listValue(add(itemsOf(list, operation), operand(value))),
  };
}

/** Compares scalars by a key, so that only lists and maps are compared with each other. */
function uniqueItems(items: readonly Value[], context: CallContext): readonly Value[] {
  const seen = new Set<string>();
  const kept: Value[] = [];
  const composites: Value[] = [];
  for (const item of items) {
    const key = scalarKey(item);
    if (key === undefined ? composites.some((one) => deepEqual(one, item, context)) : seen.has(key)) continue;
    if (key === undefined) composites.push(item);
    else seen.add(key);
    kept.push(item);
  }
  return kept;
}

function scalarKey(held: Value): string | undefined {
  const item = unwrapInterface(held);
  if (item.kind === 'nil') return 'nil';
  const isScalar = item.kind === 'bool' || item.kind === 'integer' || item.kind === 'string';
  return isScalar ? `${typeName(item)} ${item.value}` : undefined;
}

function sliceOfList(list: Value, indexes: readonly Value[]): Value {
  if (list.kind === 'nil') itemsOf(list, '');
  if (list.kind !== 'slice') {
    throw new FunctionError(`list should be type of slice or array but ${kindName(list)}`);
  }
  const items = list.items ?? [];
  if (items.length === 0) return NIL;
  const start = indexes[0] === undefined ? 0 : Number(toInt64(indexes[0]));
  const end = indexes[1] === undefined ? items.length : Number(toInt64(indexes[1]));
  if (start < 0 || end < start || end > items.length) {
    throw new FunctionError('reflect.Value.Slice: slice index out of bounds');
  }
  return listValue(items.slice(start, end), list.type);
}

function chunks(items: readonly Value[], size: number, context: CallContext): Value {
  const count = Math.floor((items.length - 1) / size) + 1;
  if (!(count >= 0) || !Number.isFinite(count)) {
    throw new FunctionError('runtime error: makeslice: len out of range');
  }
  const isOneOfOne = items.length === 1 && size < -1;
  if (count > 0 && size < 0 && !isOneOfOne)
    throw new FunctionError('runtime error: makeslice: len out of range');
  context.spend(items.length + count);
  const parts = Array.from({ length: count }, (_, i) =>
    listValue(size < 0 ? items : items.slice(i * size, (i + 1) * size)),
  );
  return listValue(parts, sliceOf(INTERFACE_SLICE));
}

function concatenated(lists: readonly Value[], context: CallContext): Value {
  const all: Value[] = [];
  for (const list of lists) {
    const value = list.kind === 'slice' ? list : undefined;
    if (value === undefined && list.kind !== 'nil') {
      throw new FunctionError(`Cannot concat type ${kindName(list)} as list`);
    }
    const items = itemsOf(list, 'concat');
    context.spend(items.length);
    for (const item of items) all.push(unwrapInterface(item));
  }
  return listValue(all.length === 0 ? null : all);
}

function sortedTexts(value: Value, context: CallContext): string[] {
  return value.kind === 'slice' ? texts(value, context).sort(compareStrings) : [shown(value, context)];
}
