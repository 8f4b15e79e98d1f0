import {
  indirect,
  NIL,
  parseGoFloat,
  parseGoInteger,
  quote,
  sprint,
  unwrapInterface,
  type CallContext,
  type Value,
} from '@tinkerbell/go-template';

/**
 * Reads the operands of functions. The engine has already checked declared parameter types, so text() of a
 * string parameter is its text. The other functions convert any value as sprig does.
 */

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Returns the text of a string operand. */
export function text(value: Value | undefined): string {
  return value?.kind === 'string' ? value.value : '';
}

/** Returns the number of an int operand. Go's int has 64 bits, so beyond 2^53 the result is approximate. */
export function integer(value: Value | undefined): number {
  return value?.kind === 'integer' ? Number(value.value) : 0;
}

/** Returns any value as `%v` prints it, and strings unchanged (sprig's strval). */
export function shown(value: Value, context: CallContext): string {
  return value.kind === 'string' ? value.value : sprint([value], context);
}

/** Converts any value to a 64-bit integer, or to 0 if that is impossible (sprig's toInt64, by spf13/cast). */
export function toInt64(operand: Value): bigint {
  const { value } = indirect(operand);
  switch (value.kind) {
    case 'integer':
      return BigInt.asIntN(64, value.value);
    case 'float64':
      return floatToInt64(value.value);
    case 'bool':
      return value.value ? 1n : 0n;
    case 'string':
      return textToInt64(value.value.replace(/\.0+$/, '')) ?? 0n;
    default:
      return 0n;
  }
}

/** Converts any value to a float, or to 0 if that is impossible (sprig's toFloat64, by spf13/cast). */
export function toFloat64(operand: Value): number {
  const { value } = indirect(operand);
  switch (value.kind) {
    case 'integer':
      return Number(value.value);
    case 'float64':
      return value.value;
    case 'bool':
      return value.value ? 1 : 0;
    case 'string':
      return parseGoFloat(value.value) ?? 0;
    default:
      return 0;
  }
}

/**
 * Reads a whole number in Go syntax, base prefixes included. Returns undefined if it is invalid or out of
 * range.
 */
export function textToInt64(source: string): bigint | undefined {
  const magnitude = parseGoInteger(source.replace(/^[+-]/, ''));
  if (magnitude === undefined) return undefined;
  const number = source.startsWith('-') ? -magnitude : magnitude;
  return number >= INT64_MIN && number <= INT64_MAX ? number : undefined;
}

/** Returns the operand, or nil when it was not given. */
export function operand(value: Value | undefined): Value {
  return value ?? NIL;
}

/** Converts any value to a list of strings, without nil values (sprig's strslice). */
export function texts(value: Value, context: CallContext): string[] {
  if (value.kind === 'nil') return [];
  if (value.kind !== 'slice') return [shown(value, context)];
  return (value.items ?? [])
    .map(unwrapInterface)
    .filter((item) => item.kind !== 'nil')
    .map((item) => shown(item, context));
}

/** Returns a value formatted with `%q`. */
export function quoted(value: Value, context: CallContext): string {
  return quote(shown(value, context));
}

/** A value out of int64's range becomes its minimum, as on amd64. */
function floatToInt64(value: number): bigint {
  if (!Number.isFinite(value)) return INT64_MIN;
  const whole = BigInt(Math.trunc(value));
  return whole < INT64_MIN || whole > INT64_MAX ? INT64_MIN : whole;
}
