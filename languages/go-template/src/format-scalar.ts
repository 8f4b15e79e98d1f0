import { floatText } from './float-text.ts';
import { type FormatFlags, pad, padWithSpaces } from './format-flags.ts';
import { encodeUtf8 } from './go-string.ts';
import { canBackquote, isPrintable, quote, quoteRune } from './quoting.ts';

/**
 * Formats booleans, integers, floats and strings for printf verbs (fmt/format.go). Each function returns
 * undefined when the verb does not fit the kind.
 */

const BASES: ReadonlyMap<string, number> = new Map([
  ['v', 10],
  ['d', 10],
  ['b', 2],
  ['o', 8],
  ['O', 8],
  ['x', 16],
  ['X', 16],
]);
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['b', '0b'],
  ['x', '0x'],
  ['X', '0X'],
]);

export function formatBool(value: boolean, verb: string, flags: FormatFlags): string | undefined {
  return verb === 't' || verb === 'v' ? pad(String(value), flags) : undefined;
}

export interface IntegerToFormat {
  readonly value: bigint;
  readonly signed: boolean;
}

export function formatInteger(
  integer: IntegerToFormat,
  verb: string,
  flags: FormatFlags,
): string | undefined {
  if (verb === 'v' && flags.sharpV && !integer.signed) {
    return integerText(integer.value, 'x', { ...flags, sharp: true });
  }
  if (BASES.has(verb)) return integerText(integer.value, verb, flags);
  const unsigned = BigInt.asUintN(64, integer.value);
  const rune = unsigned > 0x10ffffn ? 0xfffd : Number(unsigned);
  switch (verb) {
    case 'c':
      return pad(String.fromCodePoint(rune).toWellFormed(), flags);
    case 'q':
      return pad(quoteRune(rune, flags.plus), flags);
    case 'U':
      return unicodeText(unsigned, flags);
    default:
      return undefined;
  }
}

export function formatFloat(value: number, verb: string, flags: FormatFlags): string | undefined {
  const [form, precision] = floatForm(verb);
  if (form === '') return undefined;
  const wanted = flags.precision ?? precision;
  const signed = withSign(floatText(value, form, wanted), flags);
  if (!Number.isFinite(value)) return padWithSpaces(notFinite(signed, flags), flags);
  const text = flags.sharp && form !== 'b' ? withPoint(signed, verb, wanted) : signed;
  return !flags.plus && text.startsWith('+') ? pad(text.slice(1), flags) : padAfterSign(text, flags);
}

/** Infinity keeps its sign even without the plus flag. NaN has one only when a flag requests it. */
function notFinite(signed: string, flags: FormatFlags): string {
  return signed.endsWith('NaN') && !flags.space && !flags.plus ? 'NaN' : signed;
}

function padAfterSign(text: string, flags: FormatFlags): string {
  const missing = (flags.width ?? 0) - text.length;
  if (!flags.zero || flags.minus || missing <= 0) return pad(text, flags);
  return text.charAt(0) + '0'.repeat(missing) + text.slice(1);
}

function withSign(text: string, flags: FormatFlags): string {
  const signed = /^[-+]/.test(text) ? text : `+${text}`;
  return flags.space && signed.startsWith('+') && !flags.plus ? ` ${signed.slice(1)}` : signed;
}

export function formatString(value: string, verb: string, flags: FormatFlags): string | undefined {
  switch (verb) {
    case 'v':
      return flags.sharpV ? quotedText(value, flags) : pad(truncate(value, flags), flags);
    case 's':
      return pad(truncate(value, flags), flags);
    case 'q':
      return quotedText(value, flags);
    case 'x':
    case 'X':
      return hexText(value, verb, flags);
    default:
      return undefined;
  }
}

function quotedText(value: string, flags: FormatFlags): string {
  const text = truncate(value, flags);
  const raw = flags.sharp && canBackquote(text);
  return pad(raw ? `\`${text}\`` : quote(text, flags.plus), flags);
}

function truncate(text: string, flags: FormatFlags): string {
  if (flags.precision === undefined || text.length <= flags.precision) return text;
  return Array.from(text).slice(0, flags.precision).join('');
}

function positiveSign({ plus, space }: FormatFlags): string {
  if (plus) return '+';
  return space ? ' ' : '';
}

function integerText(value: bigint, verb: string, flags: FormatFlags): string {
  if (flags.precision === 0 && value === 0n) return ' '.repeat(flags.width ?? 0);
  const sign = value < 0n ? '-' : positiveSign(flags);
  const lower = (value < 0n ? -value : value).toString(BASES.get(verb) ?? 10);
  const digits = (verb === 'X' ? lower.toUpperCase() : lower).padStart(digitsWanted(sign, flags), '0');
  return padWithSpaces(sign + integerPrefix(digits, verb, flags.sharp) + digits, flags);
}

function digitsWanted(sign: string, flags: FormatFlags): number {
  if (flags.precision !== undefined) return flags.precision;
  return flags.zero && !flags.minus && flags.width !== undefined ? flags.width - sign.length : 0;
}

function integerPrefix(digits: string, verb: string, sharp: boolean): string {
  const octal = sharp && (verb === 'o' || verb === 'O') && !digits.startsWith('0') ? '0' : '';
  if (verb === 'O') return `0o${octal}`;
  return sharp ? (PREFIXES.get(verb) ?? octal) : '';
}

function unicodeText(value: bigint, flags: FormatFlags): string {
  const code = value
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, flags.precision ?? 0), '0');
  const shown = flags.sharp && value <= 0x10ffffn && isPrintable(Number(value));
  return padWithSpaces(`U+${code}${shown ? ` '${String.fromCodePoint(Number(value))}'` : ''}`, flags);
}

function floatForm(verb: string): [form: string, precision: number] {
  switch (verb) {
    case 'v':
      return ['g', -1];
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return [verb, -1];
    case 'e':
    case 'E':
    case 'f':
      return [verb, 6];
    case 'F':
      return ['f', 6];
    default:
      return ['', 0];
  }
}

/** Applies the # flag: always a decimal point, and for %g the zeros that it would drop. */
function withPoint(text: string, verb: string, precision: number): string {
  const exponentAt = text.search(verb === 'x' || verb === 'X' ? /[pP]/ : /[eE]/);
  const number = exponentAt < 0 ? text : text.slice(0, exponentAt);
  const tail = exponentAt < 0 ? '' : text.slice(exponentAt);
  const keepsZeros = verb === 'v' || verb === 'g' || verb === 'G' || verb === 'x';
  const digits = precision < 0 ? 6 : precision;
  const wanted = keepsZeros ? digits : 0;
  const significant = number.slice(1).replace('.', '').replace(/^0+/, '').length;
  const isZero = number.slice(1) === '0';
  const point = number.includes('.') ? '' : '.';
  return number + point + '0'.repeat(Math.max(0, wanted - significant - (isZero ? 1 : 0))) + tail;
}

function hexText(value: string, verb: string, flags: FormatFlags): string {
  const all = encodeUtf8(value);
  const bytes = all.slice(0, flags.precision ?? all.length);
  const pairs = Array.from(bytes, (byte) => {
    const pair = byte.toString(16).padStart(2, '0');
    return verb === 'X' ? pair.toUpperCase() : pair;
  });
  const prefix = flags.sharp && pairs.length > 0 ? `0${verb}` : '';
  const text = prefix + pairs.join(flags.space ? ` ${prefix}` : '');
  return pad(text, flags);
}
