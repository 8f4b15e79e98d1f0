import {
  BOOL,
  boolValue,
  FunctionError,
  type FunctionSpec,
  INTERFACE,
  isTrue,
  NIL,
  STRING,
  stringValue,
  type Value,
} from '@tinkerbell/go-template';
import { copyOf } from './deep-copy.ts';
import { operand, text } from './operands.ts';

const COPIES: FunctionSpec = {
  params: [INTERFACE],
  call: ([value], context) => {
    if (operand(value).kind !== 'nil') return copyOf(operand(value), context);
    throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
  },
};

/** Sprig's functions for values that may be absent, copies, `fail` and `hello`. */
export const DEFAULT_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  default: {
    params: [INTERFACE, INTERFACE],
    variadic: true,
    call: ([fallback, given]) => (isEmpty(operand(given)) ? operand(fallback) : operand(given)),
  },
  empty: { params: [INTERFACE], result: BOOL, call: ([value]) => boolValue(isEmpty(operand(value))) },
  coalesce: {
    params: [INTERFACE],
    variadic: true,
    call: (values) => values.find((value) => !isEmpty(value)) ?? NIL,
  },
  all: {
    params: [INTERFACE],
    variadic: true,
    result: BOOL,
    call: (values) => boolValue(!values.some(isEmpty)),
  },
  any: {
    params: [INTERFACE],
    variadic: true,
    result: BOOL,
    call: (values) => boolValue(values.some((value) => !isEmpty(value))),
  },
  ternary: {
    params: [INTERFACE, INTERFACE, BOOL],
    call: ([yes, no, which]) => operand(which?.kind === 'bool' && which.value ? yes : no),
  },
  hello: { params: [], result: STRING, call: () => stringValue('Hello!') },
  deepCopy: COPIES,
  mustDeepCopy: COPIES,
  fail: {
    params: [STRING],
    result: STRING,
    call: ([message]) => {
      throw new FunctionError(text(message));
    },
  },
};

/** Returns true if sprig treats a value as not given: every value that is false in a condition. */
export function isEmpty(value: Value): boolean {
  return !isTrue(value);
}
