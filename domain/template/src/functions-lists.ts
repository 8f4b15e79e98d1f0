import {
  BOOL,
  boolValue,
  FunctionError,
  type FunctionSpec,
  INTERFACE,
  INTERFACE_SLICE,
  listValue,
  NIL,
  type SliceValue,
  typeName,
  type Value,
} from '@tinkerbell/go-template';
import { deepEqual } from './deep-equal.ts';
import { isEmpty } from './functions-defaults.ts';
import { operand } from './operands.ts';

/** Sprig's list functions. A list is any Go slice; what is made from one is a []interface{}. */
export const LIST_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  list: {
    params: [INTERFACE],
    variadic: true,
    result: INTERFACE_SLICE,
    call: (values) => listValue([...values]),
  },
  tuple: {
    params: [INTERFACE],
    variadic: true,
    result: INTERFACE_SLICE,
    call: (values) => listValue([...values]),
  },
  first: { params: [INTERFACE], call: ([list]) => itemsOf(list, 'find first on').at(0) ?? NIL },
  last: { params: [INTERFACE], call: ([list]) => itemsOf(list, 'find last on').at(-1) ?? NIL },
  rest: partOf('find rest on', (items) => items.slice(1)),
  initial: partOf('find initial on', (items) => items.slice(0, -1)),
  reverse: partOf('find reverse on', (items) => items.toReversed()),
  compact: partOf('compact on', (items) => items.filter((item) => !isEmpty(item))),
  append: added('push on', (items, value) => [...items, value]),
  push: added('push on', (items, value) => [...items, value]),
  prepend: added('prepend on', (items, value) => [value, ...items]),
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
};

/** Returns the items of a list, or fails as sprig does: `Cannot <deed> type <kind>`. */
export function itemsOf(list: Value | undefined, deed: string): readonly Value[] {
  const value = operand(list);
  if (value.kind === 'slice') return value.items ?? [];
  if (value.kind === 'nil') {
    throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
  }
  throw new FunctionError(`Cannot ${deed} type ${kindName(value)}`);
}

/** Go's name for the kind of a value, without what it is made of. */
function kindName(value: Exclude<Value, SliceValue>): string {
  switch (value.kind) {
    case 'integer':
      return typeName(value);
    case 'pointer':
      return 'ptr';
    default:
      return value.kind;
  }
}

function partOf(deed: string, take: (items: readonly Value[]) => readonly Value[]): FunctionSpec {
  return {
    params: [INTERFACE],
    result: INTERFACE_SLICE,
    call: ([list]) => listValue(take(itemsOf(list, deed))),
  };
}

function added(deed: string, add: (items: readonly Value[], value: Value) => readonly Value[]): FunctionSpec {
  return {
    params: [INTERFACE, INTERFACE],
    result: INTERFACE_SLICE,
    call: ([list, value]) => listValue(add(itemsOf(list, deed), operand(value))),
  };
}
