import {
  type CallContext,
  FLOAT64,
  floatValue,
  type FunctionSpec,
  INT,
  INTERFACE,
  type Value,
} from '@tinkerbell/go-template';
import {
  addDecimals,
  type Decimal,
  decimalOf,
  decimalToFloat,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
} from './decimal.ts';
import { integer, operand, toFloat64 } from './operands.ts';

/** The n-th operation of one call costs n times this, because exact decimals grow with every operation. */
const DECIMAL_SIZE = 1024;

/** Sprig's functions on floats. Sums and products use exact decimals in between. */
export const FLOAT_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  add1f: {
    params: [INTERFACE],
    result: FLOAT64,
    call: ([value]) => floatValue(decimalToFloat(addDecimals(toDecimal(operand(value)), ONE))),
  },
  addf: {
    params: [INTERFACE],
    variadic: true,
    result: FLOAT64,
    call: (values, context) => floatValue(combined([ZERO, ...decimals(values)], addDecimals, context)),
  },
  subf: chained(subtractDecimals),
  mulf: chained(multiplyDecimals),
  divf: chained(divideDecimals),
  maxf: extreme(Math.max),
  minf: extreme(Math.min),
  floor: { params: [INTERFACE], result: FLOAT64, call: ([value]) => rounded(Math.floor, value) },
  ceil: { params: [INTERFACE], result: FLOAT64, call: ([value]) => rounded(Math.ceil, value) },
  round: {
    params: [INTERFACE, INT, FLOAT64],
    variadic: true,
    result: FLOAT64,
    call: ([value, places, roundOn]) =>
      floatValue(
        roundedAt(
          toFloat64(operand(value)),
          integer(places),
          roundOn === undefined ? 0.5 : toFloat64(roundOn),
        ),
      ),
  },
};

const ZERO: Decimal = { digits: 0n, exponent: 0 };
const ONE: Decimal = { digits: 1n, exponent: 0 };

type Operation = (left: Decimal, right: Decimal) => Decimal;

function chained(operation: Operation): FunctionSpec {
  return {
    params: [INTERFACE, INTERFACE],
    variadic: true,
    result: FLOAT64,
    call: (values, context) => floatValue(combined(decimals(values), operation, context)),
  };
}

function decimals(values: readonly Value[]): Decimal[] {
  return values.map(toDecimal);
}

function toDecimal(value: Value): Decimal {
  return decimalOf(toFloat64(value));
}

function combined(values: readonly Decimal[], operation: Operation, context: CallContext): number {
  const result = values.reduce((left, right, i) => {
    context.spend(i * DECIMAL_SIZE);
    return operation(left, right);
  });
  return decimalToFloat(result);
}

function extreme(choose: (left: number, right: number) => number): FunctionSpec {
  return {
    params: [INTERFACE, INTERFACE],
    variadic: true,
    result: FLOAT64,
    call: (values) => floatValue(values.map(toFloat64).reduce((left, right) => choose(left, right))),
  };
}

function rounded(round: (value: number) => number, value: Value | undefined): Value {
  return floatValue(round(toFloat64(operand(value))));
}

/**
 * Rounds negative numbers down unless they are whole, because their fraction is never as large as roundOn.
 */
function roundedAt(value: number, places: number, roundOn: number): number {
  const scale = 10 ** places;
  const digit = scale * value;
  const fraction = digit % 1;
  return (fraction >= roundOn ? Math.ceil(digit) : Math.floor(digit)) / scale;
}
