import { runeCount } from './go-string.ts';

/** The flags, width and precision of one printf directive (fmt's pp.fmt). */
export interface FormatFlags {
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** %+v and %#v: the flag then has another meaning and is removed from plus or sharp. */
  plusV: boolean;
  sharpV: boolean;
  width: number | undefined;
  precision: number | undefined;
}

export function noFlags(): FormatFlags {
  return {
    minus: false,
    plus: false,
    sharp: false,
    space: false,
    zero: false,
    plusV: false,
    sharpV: false,
    width: undefined,
    precision: undefined,
  };
}

/** Pads to the width, counting runes. The zero flag pads with zeros on the left only. */
export function pad(text: string, flags: FormatFlags): string {
  return padWith(text, flags, flags.zero && !flags.minus);
}

/** Pads with spaces, whatever the zero flag is. */
export function padWithSpaces(text: string, flags: FormatFlags): string {
  return padWith(text, flags, false);
}

function padWith(text: string, flags: FormatFlags, zeros: boolean): string {
  if (flags.width === undefined) return text;
  const missing = flags.width - runeCount(text);
  if (missing <= 0) return text;
  const padding = (zeros ? '0' : ' ').repeat(missing);
  return flags.minus ? text + padding : padding + text;
}
