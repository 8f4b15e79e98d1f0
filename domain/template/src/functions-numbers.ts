import {
  FLOAT64,
  floatValue,
  FunctionError,
  type FunctionSpec,
  INT,
  INT64,
  INTERFACE,
  intValue,
  listValue,
  sliceOf,
  STRING,
  type CallContext,
  type Value,
} from '@tinkerbell/go-template';
import { integer, operand, text, toFloat64, toInt64 } from './operands.ts';

const INT_SLICE = sliceOf(INT);

/** Sprig's number functions; arithmetic is on 64-bit integers, whatever it is given. */
export const NUMBER_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  int: { params: [INTERFACE], result: INT, call: ([value]) => intValue(toInt64(operand(value))) },
  int64: { params: [INTERFACE], result: INT64, call: ([value]) => int64(toInt64(operand(value))) },
  float64: { params: [INTERFACE], result: FLOAT64, call: ([value]) => floatValue(toFloat64(operand(value))) },
  atoi: { params: [STRING], result: INT, call: ([value]) => intValue(decimal(text(value))) },
  add: {
    params: [INTERFACE],
    variadic: true,
    result: INT64,
    call: (values) => int64(values.reduce((sum, value) => sum + toInt64(value), 0n)),
  },
  add1: { params: [INTERFACE], result: INT64, call: ([value]) => int64(toInt64(operand(value)) + 1n) },
  sub: ofTwo((left, right) => left - right),
  mul: {
    params: [INTERFACE, INTERFACE],
    variadic: true,
    result: INT64,
    call: (values) =>
      int64(values.reduce((product, value) => BigInt.asIntN(64, product * toInt64(value)), 1n)),
  },
  div: ofTwo((left, right) => left / divisor(right)),
  mod: ofTwo((left, right) => left % divisor(right)),
  until: {
    params: [INT],
    result: INT_SLICE,
    call: ([count], context) => {
      const stop = integer(count);
      return counted({ start: 0, stop, step: stop < 0 ? -1 : 1 }, context);
    },
  },
  untilStep: {
    params: [INT, INT, INT],
    result: INT_SLICE,
    call: ([start, stop, step], context) =>
      counted({ start: integer(start), stop: integer(stop), step: integer(step) }, context),
  },
};

function ofTwo(compute: (left: bigint, right: bigint) => bigint): FunctionSpec {
  return {
    params: [INTERFACE, INTERFACE],
    result: INT64,
    call: ([left, right]) => int64(compute(toInt64(operand(left)), toInt64(operand(right)))),
  };
}

function int64(value: bigint): Value {
  return intValue(value, 'int64');
}

function divisor(value: bigint): bigint {
  if (value === 0n) throw new FunctionError('runtime error: integer divide by zero');
  return value;
}

/** Base ten only. Out of range becomes the nearest int, as strconv.Atoi leaves it; anything else is 0. */
function decimal(source: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(source)) return 0n;
  const value = BigInt(source.replace(/^\+/, ''));
  const most = 2n ** 63n - 1n;
  return value > most ? most : value < -most - 1n ? -most - 1n : value;
}

function counted(
  { start, stop, step }: { start: number; stop: number; step: number },
  context: CallContext,
): Value {
  const runs = stop < start ? step < 0 : step > 0;
  const count = runs ? Math.ceil((stop - start) / step) : 0;
  context.spend(count);
  return listValue(
    Array.from({ length: count }, (_, i) => intValue(start + i * step)),
    INT_SLICE,
  );
}
