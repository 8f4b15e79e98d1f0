import {
  BOOL,
  boolValue,
  FunctionError,
  type FunctionSpec,
  INTERFACE,
  isTrue,
  NIL,
  STRING,
  type Value,
} from '@tinkerbell/go-template';
import { operand, text } from './operands.ts';

/** Sprig's functions for values that may be absent, and `fail`. */
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
  fail: {
    params: [STRING],
    result: STRING,
    call: ([message]) => {
      throw new FunctionError(text(message));
    },
  },
};

/** Says whether sprig counts a value as not given: what is false in a condition. */
export function isEmpty(value: Value): boolean {
  return !isTrue(value);
}
