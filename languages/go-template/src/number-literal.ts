/**
 * Go's number literals. A literal such as `1e3` is a float. Because its value is integral, it can also be
 * used as an integer. Its place decides which one it becomes (text/template "ideal constants").
 */

export interface NumberLiteral {
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/**
 * Reads a literal as text/template/parse does. Fails with Go's reason: `integer overflow: "..."` or `illegal
 * number syntax: "..."`.
 */
export function parseNumberLiteral(
  text: string,
): { ok: true; number: NumberLiteral } | { ok: false; reason: 'integer overflow' | 'illegal number syntax' } {
  const whole = integerLiteral(text);
  if (whole !== undefined) return { ok: true, number: whole };
  const float = parseGoFloat(text);
  if (float === undefined) return { ok: false, reason: 'illegal number syntax' };
  if (!/[.eEpP]/.test(text)) return { ok: false, reason: 'integer overflow' };
  return { ok: true, number: { float, ...integralForms(float) } };
}

/** What Go takes for a float where its place does not decide (text/template, idealConstant): also a hexadecimal integer with a sign and an `e`. */
export function looksLikeFloat(text: string): boolean {
  const isHexInteger = /^0[xX]./.test(text) && !/[pP]/.test(text);
  return !isHexInteger && /[.eEpP]/.test(text);
}

function integerLiteral(text: string): NumberLiteral | undefined {
  const magnitude = parseGoInteger(text.replace(/^[+-]/, ''));
  if (magnitude === undefined) return undefined;
  const value = text.startsWith('-') ? -magnitude : magnitude;
  // Go reads "+1" as an int but not as a uint. A zero is both, whatever its sign.
  const isUnsigned = (!/^[+-]/.test(text) || value === 0n) && value <= UINT64_MAX;
  const number = isUnsigned ? { uint: value, float: Number(value) } : { float: Number(value) };
  if (value >= INT64_MIN && value <= INT64_MAX) return { ...number, int: value };
  return isUnsigned ? number : undefined;
}

const OCTAL_DIGITS = /^(_?[0-7])+$/;
const DIGITS: Readonly<Record<string, RegExp>> = { x: /^(_?[0-9a-fA-F])+$/, b: /^(_?[01])+$/ };

/**
 * Reads an unsigned integer in Go syntax with base prefix and underscores. Returns undefined if it is
 * invalid.
 */
export function parseGoInteger(text: string): bigint | undefined {
  const match = /^0([xXoObB]?)([0-9a-fA-F_]*)$/.exec(text);
  if (match === null) {
    return /^[1-9](_?[0-9])*$/.test(text) ? BigInt(text.replaceAll('_', '')) : undefined;
  }
  const prefix = (match[1] ?? '').toLowerCase();
  const digits = match[2] ?? '';
  if (prefix === '' && digits === '') return 0n;
  if (!(DIGITS[prefix] ?? OCTAL_DIGITS).test(digits)) return undefined;
  return BigInt(`0${prefix === '' ? 'o' : prefix}${digits.replaceAll('_', '')}`);
}

/**
 * Reads a float in Go syntax (decimal, or hexadecimal with a `p` exponent). Returns undefined when it is
 * malformed or out of range.
 */
export function parseGoFloat(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  if (/^0[xX]/.test(body)) return parseHexFloat(body.slice(2), sign);
  if (!/^([0-9](_?[0-9])*\.?([0-9](_?[0-9])*)?|\.[0-9](_?[0-9])*)([eE][+-]?[0-9](_?[0-9])*)?$/.test(body)) {
    return undefined;
  }
  const value = Number(body.replaceAll('_', ''));
  return Number.isFinite(value) ? sign * value : undefined;
}

function parseHexFloat(body: string, sign: number): number | undefined {
  const match = /^_?([0-9a-fA-F_]*)\.?([0-9a-fA-F_]*)[pP]([+-]?[0-9_]+)$/.exec(body);
  if (match === null) return undefined;
  const fraction = (match[2] ?? '').replaceAll('_', '');
  const digits = (match[1] ?? '').replaceAll('_', '') + fraction;
  const exponent = Number((match[3] ?? '').replaceAll('_', ''));
  if (digits === '' || !Number.isFinite(exponent)) return undefined;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** (exponent - 4 * fraction.length);
  return Number.isFinite(value) ? sign * value : undefined;
}

function integralForms(float: number): NumberLiteral {
  if (!Number.isInteger(float)) return {};
  const whole = BigInt(float);
  return {
    ...(whole >= INT64_MIN && whole <= INT64_MAX ? { int: whole } : {}),
    ...(whole >= 0n && whole <= UINT64_MAX ? { uint: whole } : {}),
  };
}
