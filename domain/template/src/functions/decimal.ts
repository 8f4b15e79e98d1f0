import { FunctionError } from '@tinkerbell/go-template';

/** An exact decimal number: digits times ten to the exponent (shopspring/decimal). */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The number of decimal places of a quotient. */
const QUOTIENT_PLACES = 16;

/** Returns the shortest decimal that reads as this float. Throws FunctionError for NaN and infinity. */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) {
    const infinite = value < 0 ? '-Inf' : '+Inf';
    const name = Number.isNaN(value) ? 'NaN' : infinite;
    throw new FunctionError(`Cannot create a Decimal from ${name}`);
  }
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Returns the nearest float. */
export function decimalToFloat({ digits, exponent }: Decimal): number {
  return Number(`${digits}e${exponent}`);
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent);
  return { digits: rescaled(left, exponent) + rescaled(right, exponent), exponent };
}

export function subtractDecimals(left: Decimal, right: Decimal): Decimal {
  return addDecimals(left, { ...right, digits: -right.digits });
}

export function multiplyDecimals(left: Decimal, right: Decimal): Decimal {
  return { digits: left.digits * right.digits, exponent: left.exponent + right.exponent };
}

/** Rounds half away from zero. Throws FunctionError for a division by zero. */
export function divideDecimals(left: Decimal, right: Decimal): Decimal {
  if (right.digits === 0n) throw new FunctionError('decimal division by 0');
  const shift = left.exponent - right.exponent + QUOTIENT_PLACES;
  const numerator = shift > 0 ? left.digits * 10n ** BigInt(shift) : left.digits;
  const denominator = shift < 0 ? right.digits * 10n ** BigInt(-shift) : right.digits;
  const quotient = numerator / denominator;
  const twiceRest = 2n * magnitude(numerator % denominator);
  const away = numerator < 0n === denominator < 0n ? 1n : -1n;
  const digits = twiceRest < magnitude(denominator) ? quotient : quotient + away;
  return { digits, exponent: -QUOTIENT_PLACES };
}

function rescaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
