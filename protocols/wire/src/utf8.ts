/**
 * UTF-8 without the platform's TextDecoder, which the pure layers do not have. Decoding is strict (RFC 3629 section 3:
 * no overlong forms, no surrogates, nothing above U+10FFFF): a text that decodes encodes to the same bytes again.
 */

/** Returns the text, or undefined when the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  let text = '';
  for (let index = 0; index < bytes.length;) {
    const first = bytes[index] ?? 0;
    if (first < 0x80) {
      text += String.fromCharCode(first);
      index += 1;
      continue;
    }
    const length = sequenceLength(first);
    const point = length === 0 ? undefined : codePoint(bytes.subarray(index, index + length), length);
    if (point === undefined) return undefined;
    text += String.fromCodePoint(point);
    index += length;
  }
  return text;
}

const NO_BYTES = new Uint8Array();

/** Returns the bytes of a text. A lone surrogate, which has no UTF-8, becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  if (text === '') return NO_BYTES;
  const ascii = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) return encodeAny(text);
    ascii[index] = unit;
  }
  return ascii;
}

function encodeAny(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) bytes.push(point);
    else pushSequence(bytes, point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
  }
  return Uint8Array.from(bytes);
}

function sequenceLength(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

const SMALLEST_POINT = [0, 0, 0x80, 0x800, 0x1_0000] as const;

function codePoint(sequence: Uint8Array, length: number): number | undefined {
  if (sequence.length < length) return undefined;
  let point = (sequence[0] ?? 0) & (0xff >> (length + 1));
  for (const byte of sequence.subarray(1)) {
    if ((byte & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (byte & 0x3f);
  }
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  return point < (SMALLEST_POINT[length] ?? 0) || point > 0x10_ffff || isSurrogate ? undefined : point;
}

function pushSequence(bytes: number[], point: number): void {
  const continuation = (shift: number): number => 0x80 | ((point >> shift) & 0x3f);
  if (point < 0x800) bytes.push(0xc0 | (point >> 6), continuation(0));
  else if (point < 0x1_0000) bytes.push(0xe0 | (point >> 12), continuation(6), continuation(0));
  else bytes.push(0xf0 | (point >> 18), continuation(12), continuation(6), continuation(0));
}
