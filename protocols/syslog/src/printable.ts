import { decodeUtf8 } from '@tinkerbell/wire';

/** Returns the text of a datagram. When it is not valid UTF-8, each byte above 127 becomes `\xNN`. */
export function textOf(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes) ?? decodeUtf8(bytes.subarray(0, bytes.length - cutBytes(bytes)));
  if (text !== undefined) return text;
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : hexEscape(byte))).join('');
}

/** Returns the number of bytes at the end that form an incomplete character, because senders truncate their messages. */
function cutBytes(bytes: Uint8Array): number {
  for (let count = 1; count <= 3 && count <= bytes.length; count++) {
    const first = bytes[bytes.length - count] ?? 0;
    if (first >= 0xc2 && first <= 0xf4) return count;
  }
  return 0;
}

/**
 * C0 and C1 control characters and DEL would move the cursor or colour the terminal of a person who reads the
 * log. Line separators would forge lines, and the marks of bidirectional text would show a line in another
 * order than it has.
 */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => {
    const point = character.codePointAt(0) ?? 0;
    const isByte = point <= 0xff;
    return SHORT_ESCAPES[character] ?? (isByte ? hexEscape(point) : `\\u${point.toString(16)}`);
  });
}

function hexEscape(value: number): string {
  return `\\x${value.toString(16).padStart(2, '0')}`;
}
