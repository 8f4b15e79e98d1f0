import {
  type CallContext,
  encodeUtf8,
  type FunctionSpec,
  INT,
  mapValue,
  STRING,
  STRING_MAP,
  stringValue,
} from '@tinkerbell/go-template';
import { integer, text } from './operands.ts';
import { ofText } from './text-function.ts';
import { initials, swapCase, untitle } from './word-case.ts';
import { lowerJoined, pascalCase } from './word-joining.ts';
import { abbreviate, type WrapStyle, wrapText } from './wrap-text.ts';

/** Sprig's string functions for words, lines and widths. */
export const WORD_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  untitle: ofText(untitle),
  initials: ofText(initials),
  swapcase: ofText(swapCase),
  snakecase: ofText((source) => lowerJoined(source, '_')),
  kebabcase: ofText((source) => lowerJoined(source, '-')),
  camelcase: ofText(pascalCase),
  adler32sum: ofText((source) => String(adler32(encodeUtf8(source)))),
  abbrev: {
    params: [INT, STRING],
    result: STRING,
    call: ([width, source]) =>
      stringValue(integer(width) < 4 ? text(source) : abbreviate(text(source), 0, integer(width))),
  },
  abbrevboth: {
    params: [INT, INT, STRING],
    result: STRING,
    call: ([left, right, source]) =>
      stringValue(abbreviatedBoth(text(source), integer(left), integer(right))),
  },
  wrap: {
    params: [INT, STRING],
    result: STRING,
    call: ([width, source], context) =>
      wrapped(text(source), { width: integer(width), lineBreak: '\n', splitsLongWords: false }, context),
  },
  wrapWith: {
    params: [INT, STRING, STRING],
    result: STRING,
    call: ([width, separator, source], context) => {
      const lineBreak = text(separator) === '' ? '\n' : text(separator);
      return wrapped(text(source), { width: integer(width), lineBreak, splitsLongWords: true }, context);
    },
  },
  plural: {
    params: [STRING, STRING, INT],
    result: STRING,
    call: ([one, many, count]) => stringValue(integer(count) === 1 ? text(one) : text(many)),
  },
  splitn: {
    params: [STRING, INT, STRING],
    result: STRING_MAP,
    call: ([separator, count, source], context) => {
      const parts = splitAtMost(text(source), text(separator), integer(count));
      context.spend(text(source).length);
      return mapValue(
        parts.map((part, i) => [`_${i}`, stringValue(part)] as const),
        STRING_MAP,
      );
    },
  },
};

function abbreviatedBoth(source: string, left: number, right: number): string {
  return right < 4 || (left > 0 && right < 7) ? source : abbreviate(source, left, right);
}

/** The cost is charged before the text is created, because there may be a line for every byte. */
function wrapped(source: string, style: WrapStyle, context: CallContext): ReturnType<typeof stringValue> {
  context.spend(source.length + Math.ceil(source.length / Math.max(style.width, 1)) * style.lineBreak.length);
  return stringValue(wrapText(source, style));
}

/** Go's strings.SplitN: the last part is the rest, and a negative count means all. */
function splitAtMost(source: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const all = separator === '' ? Array.from(source) : source.split(separator);
  if (count < 0 || all.length <= count) return all;
  return [...all.slice(0, count - 1), all.slice(count - 1).join(separator)];
}

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}
