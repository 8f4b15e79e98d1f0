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
  sprint,
  STRING,
  stringValue,
  type CallContext,
  type Value,
} from '@tinkerbell/go-template';
import { integer, operand, text, toFloat64, toInt64 } from './operands.ts';

const INT_SLICE = sliceOf(INT);

/** Sprig's number functions. Arithmetic uses 64-bit integers for all operands. */
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
  seq: {
    params: [INT],
    variadic: true,
    result: STRING,
    call: (values, context) => stringValue(sequence(values.map(integer), context)),
  },
  toDecimal: {
    params: [INTERFACE],
    result: INT64,
    call: ([value], context) => int64(octal(sprint([operand(value)], context))),
  },
  max: extreme((left, right) => (right > left ? right : left)),
  biggest: extreme((left, right) => (right > left ? right : left)),
  min: extreme((left, right) => (right < left ? right : left)),
};

function extreme(choose: (left: bigint, right: bigint) => bigint): FunctionSpec {
  return {
    params: [INTERFACE, INTERFACE],
    variadic: true,
    result: INT64,
    call: (values) => int64(values.map(toInt64).reduce(choose)),
  };
}

/**
 * Works like the shell's seq. Sprig's count is off by one in the same places: a step past the end is
 * included.
 */
function sequence(params: readonly number[], context: CallContext): string {
  const range = params.length > 3 ? undefined : sequenceRange(params);
  return range === undefined ? '' : numbersFrom(range, context);
}

function sequenceRange([first, second, third]: readonly number[]): Range | undefined {
  if (first === undefined) return undefined;
  if (second === undefined) return rangeThrough(1, first);
  if (third === undefined) return rangeThrough(first, second);
  if (third < first && second > 0) return undefined;
  return { ...rangeThrough(first, third), step: second };
}

function rangeThrough(start: number, end: number): Range {
  const step = end < start ? -1 : 1;
  return { start, stop: end + step, step };
}

function numbersFrom(range: Range, context: CallContext): string {
  context.spend(8 * countOf(range));
  return Array.from({ length: countOf(range) }, (_, i) => String(range.start + i * range.step)).join(' ');
}

/** Reads base eight. An invalid number, or one out of range, is 0. */
function octal(source: string): bigint {
  if (!/^[+-]?[0-7]+$/.test(source)) return 0n;
  const magnitude = BigInt(`0o${source.replace(/^[+-]/, '')}`);
  const value = source.startsWith('-') ? -magnitude : magnitude;
  return BigInt.asIntN(64, value) === value ? value : 0n;
}

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

/** Reads base ten. Like strconv.Atoi, a number out of range becomes the nearest int. Anything else is 0. */
function decimal(source: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(source)) return 0n;
  const value = BigInt(source.replace(/^\+/, ''));
  const most = 2n ** 63n - 1n;
  if (value > most) return most;
  return value < -most - 1n ? -most - 1n : value;
}

interface Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

function countOf({ start, stop, step }: Range): number {
  const runs = stop < start ? step < 0 : step > 0;
  return runs ? Math.ceil((stop - start) / step) : 0;
}

function counted(range: Range, context: CallContext): Value {
  const count = countOf(range);
  context.spend(count);
  return listValue(
    Array.from({ length: count }, (_, i) => intValue(range.start + i * range.step)),
    INT_SLICE,
  );
}
