import { decodeUtf8, encodeUtf8 } from '@tinkerbell/go-template';

const SPACE = 0x20;

export interface WrapStyle {
  /** The width in bytes. */
  readonly width: number;
  readonly lineBreak: string;
  readonly splitsLongWords: boolean;
}

/** Breaks a text at spaces so that no line is longer than the width (goutils.WrapCustom). It counts bytes. */
export function wrapText(source: string, style: WrapStyle): string {
  const bytes = encodeUtf8(source);
  const width = Math.max(style.width, 1);
  const lines: string[] = [];
  let at = 0;
  while (bytes.length - at > width) {
    if (bytes[at] === SPACE) {
      at += 1;
      continue;
    }
    const end = lineEnd(bytes, { at, width, splits: style.splitsLongWords });
    lines.push(decodeUtf8(bytes.subarray(at, end)));
    if (end === bytes.length) return lines.join(style.lineBreak);
    at = bytes[end] === SPACE ? end + 1 : end;
  }
  lines.push(decodeUtf8(bytes.subarray(at)));
  return lines.join(style.lineBreak);
}

/** Breaks at the last space that fits, or within the word, or at the space after it. */
function lineEnd(
  bytes: Uint8Array,
  { at, width, splits }: { at: number; width: number; splits: boolean },
): number {
  const space = bytes.lastIndexOf(SPACE, at + width);
  if (space >= at) return space;
  if (splits) return at + width;
  const next = bytes.indexOf(SPACE, at + width);
  return next < 0 ? bytes.length : next;
}

/** Cuts a text to a width in bytes, with three dots where something was removed (goutils.AbbreviateFull). */
export function abbreviate(source: string, offset: number, width: number): string {
  if (source === '' || width < 4) return '';
  const bytes = encodeUtf8(source);
  if (bytes.length <= width) return source;
  const cut = (from: number, to?: number): string => decodeUtf8(bytes.subarray(from, to));
  const from = Math.max(Math.min(offset, bytes.length), 0);
  const start = bytes.length - from < width - 3 ? bytes.length - (width - 3) : from;
  if (start <= 4) return `${cut(0, width - 3)}...`;
  if (width < 7) return '';
  if (start + width - 3 < bytes.length) return `...${abbreviate(cut(start), 0, width - 3)}`;
  return `...${cut(bytes.length - (width - 3))}`;
}
