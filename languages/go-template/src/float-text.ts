/**
 * Writes floats as strconv.FormatFloat does. The digits come from the exact binary value, because
 * JavaScript's own toFixed and toExponential round ties up where Go rounds them to even, and stop at 100
 * digits.
 */

/** Decimal digits d1 d2 ... with the point before them moved `point` places right: 0.d1d2... * 10^point. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/**
 * Returns the number for verb e, E, f, g, G, x, X or b. A `precision` of -1 means as few digits as identify
 * it.
 */
export function floatText(value: number, verb: string, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (size === Number.POSITIVE_INFINITY) return sign === '' ? '+Inf' : '-Inf';
  return sign + finiteText(size, verb, precision);
}

function finiteText(size: number, verb: string, precision: number): string {
  switch (verb) {
    case 'e':
    case 'E':
      return exponentForm(size, verb, precision);
    case 'f':
      return fixedForm(size, precision);
    case 'g':
    case 'G':
      return generalForm(size, verb, precision);
    case 'b': {
      const { mantissa, exponent } = binaryParts(size);
      return `${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
    }
    default:
      return hexadecimalForm(size, verb, precision);
  }
}

function exponentForm(size: number, verb: string, precision: number): string {
  const decimal = precision < 0 ? shortest(size) : rounded(exact(size), precision + 1);
  const digits = precision < 0 ? decimal.digits : decimal.digits.padEnd(precision + 1, '0');
  return exponentText(digits, size === 0 ? 0 : decimal.point - 1, verb);
}

function exponentText(digits: string, exponent: number, verb: string): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const sign = exponent < 0 ? '-' : '+';
  return `${digits[0] ?? '0'}${fraction}${verb}${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function fixedForm(size: number, precision: number): string {
  if (precision < 0) return fixedText(shortest(size), -1);
  const decimal = exact(size);
  return fixedText(rounded(decimal, decimal.point + precision), precision);
}

function fixedText({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  const kept = precision < 0 ? fraction : fraction.slice(0, precision).padEnd(precision, '0');
  return kept === '' || (precision < 0 && /^0*$/.test(kept)) ? whole : `${whole}.${kept}`;
}

function generalForm(size: number, verb: string, precision: number): string {
  const wanted = precision === 0 ? 1 : precision;
  const decimal = precision < 0 ? shortest(size) : rounded(exact(size), wanted);
  const digits = decimal.digits.replace(/0+$/, '') || '0';
  const exponent = size === 0 ? 0 : decimal.point - 1;
  // When few digits are requested for a whole number, Go decides by the number of digits that it has.
  const enough = wanted > digits.length && digits.length >= decimal.point ? digits.length : wanted;
  const threshold = precision < 0 ? SHORTEST_THRESHOLD : enough;
  if (exponent < -4 || exponent >= threshold) {
    return exponentText(digits, exponent, verb === 'g' ? 'e' : 'E');
  }
  return fixedText({ digits, point: size === 0 ? 1 : decimal.point }, -1);
}

/** Without a precision, %g decides as if it were 6. */
const SHORTEST_THRESHOLD = 6;

function shortest(size: number): Decimal {
  const match = /^(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(size.toExponential());
  return { digits: `${match?.[1] ?? '0'}${match?.[2] ?? ''}`, point: Number(match?.[3] ?? 0) + 1 };
}

/** Returns all digits of the binary value. There are at most 1,075. */
function exact(size: number): Decimal {
  if (size === 0) return { digits: '0', point: 1 };
  const { mantissa, exponent } = binaryParts(size);
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString();
    return { digits, point: digits.length };
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits, point: digits.length + exponent };
}

/** Rounds to a number of digits, ties to even. `count` may be zero or negative. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return { digits: '0', point: 1 };
  const kept = digits.slice(0, count);
  const next = digits.charCodeAt(count) - 48;
  const isTie = next === 5 && /^0*$/.test(digits.slice(count + 1));
  const lastIsOdd = count > 0 && digits.charCodeAt(count - 1) % 2 === 1;
  const up = isTie ? lastIsOdd : next >= 5;
  if (!up) return { digits: kept === '' ? '0' : kept, point: kept === '' ? 1 : point };
  const raised = (BigInt(kept === '' ? 0 : kept) + 1n).toString().padStart(count, '0');
  return { digits: raised.slice(0, Math.max(count, 1)), point: point + raised.length - count };
}

/** Splits a finite, non-negative double into an integer and a power of two. */
function binaryParts(size: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, size);
  const bits = view.getBigUint64(0);
  const fraction = bits & 0xfffffffffffffn;
  const biased = Number(bits >> 52n);
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

function hexadecimalForm(size: number, verb: string, precision: number): string {
  const lower = hexadecimalLower(size, precision);
  return verb === 'X' ? lower.toUpperCase() : lower;
}

function hexadecimalLower(size: number, precision: number): string {
  if (size === 0) return `0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`;
  const { mantissa, exponent } = roundedBinary(normalizedBinary(size), precision);
  const all = (mantissa & (HIDDEN_BIT - 1n)).toString(16).padStart(13, '0');
  const fraction = precision < 0 ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0');
  const sign = exponent < 0 ? '-' : '+';
  const point = fraction === '' ? '' : `.${fraction}`;
  return `0x1${point}p${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

const HIDDEN_BIT = 1n << 52n;

/** Returns the number as 1.fraction * 2^exponent, with 52 bits of fraction. */
function normalizedBinary(size: number): { mantissa: bigint; exponent: number } {
  let { mantissa, exponent } = binaryParts(size);
  for (; mantissa < HIDDEN_BIT; exponent -= 1) mantissa <<= 1n;
  return { mantissa, exponent: exponent + 52 };
}

/** Rounds the fraction to hexadecimal digits, ties to even. */
function roundedBinary(
  { mantissa, exponent }: { mantissa: bigint; exponent: number },
  digits: number,
): { mantissa: bigint; exponent: number } {
  if (digits < 0 || digits >= 13) return { mantissa, exponent };
  const dropped = BigInt(52 - digits * 4);
  const half = 1n << (dropped - 1n);
  const rest = mantissa & ((1n << dropped) - 1n);
  const kept = mantissa >> dropped;
  const isUp = rest > half || (rest === half && (kept & 1n) === 1n);
  const raised = (kept + (isUp ? 1n : 0n)) << dropped;
  return raised < HIDDEN_BIT * 2n
    ? { mantissa: raised, exponent }
    : { mantissa: raised >> 1n, exponent: exponent + 1 };
}
