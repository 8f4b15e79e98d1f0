import {
  BOOL,
  boolValue,
  byteLength,
  decodeUtf8,
  encodeUtf8,
  FunctionError,
  type FunctionSpec,
  INT,
  INTERFACE,
  listValue,
  mapValue,
  STRING,
  STRING_MAP,
  STRING_SLICE,
  stringListValue,
  stringValue,
  type CallContext,
  type Value,
} from '@tinkerbell/go-template';
import { nospace } from './word-case.ts';
import { integer, operand, quoted, shown, text, texts } from './operands.ts';

const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const ONE_SPACE = new RegExp(SPACE);
const ANY_SPACE = new RegExp(SPACE, 'g');

/**
 * Sprig's string functions. Where sprig reorders arguments, the string comes last, so that it can be piped.
 */
export const STRING_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  trim: ofText(trimSpace),
  trimAll: ofTwo((cutset, source) => trimCutset(source, cutset)),
  trimall: ofTwo((cutset, source) => trimCutset(source, cutset)),
  trimPrefix: ofTwo((prefix, source) => (source.startsWith(prefix) ? source.slice(prefix.length) : source)),
  trimSuffix: ofTwo((suffix, source) =>
    suffix !== '' && source.endsWith(suffix) ? source.slice(0, -suffix.length) : source,
  ),
  nospace: ofText(nospace),
  upper: ofText((source) => mapRunes(source, (rune) => rune.toUpperCase())),
  lower: ofText((source) => mapRunes(source, (rune) => rune.toLowerCase())),
  title: ofText(titleCase),
  contains: test((part, source) => source.includes(part)),
  hasPrefix: test((prefix, source) => source.startsWith(prefix)),
  hasSuffix: test((suffix, source) => source.endsWith(suffix)),
  replace: {
    params: [STRING, STRING, STRING],
    result: STRING,
    call: ([from, to, source], context) =>
      stringValue(replaceAll(text(source), [text(from), text(to)], context)),
  },
  repeat: {
    params: [INT, STRING],
    result: STRING,
    call: ([count, source], context) => stringValue(repeated(text(source), integer(count), context)),
  },
  indent: {
    params: [INT, STRING],
    result: STRING,
    call: ([spaces, source], context) => stringValue(indented(text(source), integer(spaces), context)),
  },
  nindent: {
    params: [INT, STRING],
    result: STRING,
    call: ([spaces, source], context) => stringValue(`\n${indented(text(source), integer(spaces), context)}`),
  },
  trunc: {
    params: [INT, STRING],
    result: STRING,
    call: ([count, source]) => stringValue(truncated(text(source), integer(count))),
  },
  substr: {
    params: [INT, INT, STRING],
    result: STRING,
    call: ([start, end, source]) => stringValue(substring(text(source), integer(start), integer(end))),
  },
  quote: ofAll((values, context) => values.map((value) => quoted(value, context)).join(' ')),
  squote: ofAll((values, context) => values.map((value) => `'${shown(value, context)}'`).join(' ')),
  cat: ofAll((values, context) => values.map((value) => shown(value, context)).join(' ')),
  toString: shownText(),
  split: {
    params: [STRING, STRING],
    result: STRING_MAP,
    call: ([separator, source]) =>
      mapValue(
        splitText(text(source), text(separator)).map((part, i) => [`_${i}`, stringValue(part)] as const),
        STRING_MAP,
      ),
  },
  splitList: {
    params: [STRING, STRING],
    result: STRING_SLICE,
    call: ([separator, source]) => stringListValue(splitText(text(source), text(separator))),
  },
  join: {
    params: [STRING, INTERFACE],
    result: STRING,
    call: ([separator, list], context) => stringValue(joined(operand(list), text(separator), context)),
  },
  toStrings: {
    params: [INTERFACE],
    result: STRING_SLICE,
    call: ([list], context) => listValue(texts(operand(list), context).map(stringValue), STRING_SLICE),
  },
};

function shownText(): FunctionSpec {
  return {
    params: [INTERFACE],
    result: STRING,
    call: ([value], context) => stringValue(shown(operand(value), context)),
  };
}

function ofText(change: (source: string) => string): FunctionSpec {
  return { params: [STRING], result: STRING, call: ([source]) => stringValue(change(text(source))) };
}

function ofTwo(change: (first: string, source: string) => string): FunctionSpec {
  return {
    params: [STRING, STRING],
    result: STRING,
    call: ([first, source]) => stringValue(change(text(first), text(source))),
  };
}

function test(says: (part: string, source: string) => boolean): FunctionSpec {
  return {
    params: [STRING, STRING],
    result: BOOL,
    call: ([part, source]) => boolValue(says(text(part), text(source))),
  };
}

function ofAll(change: (values: readonly Value[], context: CallContext) => string): FunctionSpec {
  return {
    params: [INTERFACE],
    variadic: true,
    result: STRING,
    call: (values, context) =>
      stringValue(
        change(
          values.filter((value) => value.kind !== 'nil'),
          context,
        ),
      ),
  };
}

/**
 * Go changes the case of one rune into one rune. JavaScript may return two, for example for a German sharp s.
 */
function mapRunes(source: string, change: (rune: string) => string): string {
  return Array.from(source, (rune) => {
    const changed = Array.from(change(rune));
    return changed.length === 1 ? (changed[0] ?? rune) : rune;
  }).join('');
}

/** Go's strings.Title: upper case after anything that is not a letter, digit or underscore. */
function titleCase(source: string): string {
  let afterSeparator = true;
  return mapRunes(source, (rune) => {
    const upper = afterSeparator;
    afterSeparator = isSeparator(rune);
    return upper ? rune.toUpperCase() : rune;
  });
}

function isSeparator(rune: string): boolean {
  return (rune.codePointAt(0) ?? 0) < 0x80 ? !/[A-Za-z0-9_]/.test(rune) : rune.search(ANY_SPACE) >= 0;
}

/** Scans by hand, because a pattern for trailing spaces takes quadratic time on spaces in the middle. */
function trimSpace(source: string): string {
  let start = 0;
  let end = source.length;
  while (start < end && ONE_SPACE.test(source.charAt(start))) start += 1;
  while (end > start && ONE_SPACE.test(source.charAt(end - 1))) end -= 1;
  return source.slice(start, end);
}

function trimCutset(source: string, cutset: string): string {
  const cut = new Set(cutset);
  const runes = Array.from(source);
  const first = runes.findIndex((rune) => !cut.has(rune));
  return first < 0 ? '' : runes.slice(first, runes.findLastIndex((rune) => !cut.has(rune)) + 1).join('');
}

function replaceAll(source: string, [from, to]: readonly [string, string], context: CallContext): string {
  const parts = from === '' ? ['', ...Array.from(source), ''] : source.split(from);
  context.spend(source.length + parts.length * to.length);
  return parts.join(to);
}

function repeated(source: string, count: number, context: CallContext): string {
  if (count < 0) throw new FunctionError('strings: negative Repeat count');
  context.spend(count * source.length);
  return source.repeat(count);
}

function indented(source: string, spaces: number, context: CallContext): string {
  return repeated(' ', spaces, context) + replaceAll(source, ['\n', `\n${' '.repeat(spaces)}`], context);
}

/** Counts bytes. A negative count keeps the end. */
function truncated(source: string, count: number): string {
  const bytes = encodeUtf8(source);
  if (count < 0) return bytes.length + count > 0 ? decodeUtf8(bytes.slice(bytes.length + count)) : source;
  return bytes.length > count ? decodeUtf8(bytes.slice(0, count)) : source;
}

/**
 * Returns bytes start to end. A negative start means from the beginning, and a negative end means to the end.
 */
function substring(source: string, start: number, end: number): string {
  const length = byteLength(source);
  const from = Math.max(start, 0);
  const to = start >= 0 && (end < 0 || end > length) ? length : end;
  if (to < 0) throw new FunctionError(`runtime error: slice bounds out of range [:${to}]`);
  if (to > length)
    throw new FunctionError(`runtime error: slice bounds out of range [:${to}] with length ${length}`);
  if (from > to) throw new FunctionError(`runtime error: slice bounds out of range [${from}:${to}]`);
  return decodeUtf8(encodeUtf8(source).slice(from, to));
}

function splitText(source: string, separator: string): string[] {
  return separator === '' ? Array.from(source) : source.split(separator);
}

function joined(list: Value, separator: string, context: CallContext): string {
  const parts = texts(list, context);
  context.spend(parts.reduce((size, part) => size + part.length + separator.length, 0));
  return parts.join(separator);
}
