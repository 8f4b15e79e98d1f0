import { bytesToHex } from '@tinkerbell/wire';

/** The encodings of a type/length byte (FRU definition, section 13, and section 43.15). */
const BINARY = 0;
const BCD_PLUS = 1;
const SIX_BIT = 2;
const BCD_DIGITS = '0123456789 -.:,_';
const LANGUAGES_IN_LATIN: readonly number[] = [0, 25]; // both mean English

export interface TextEncoding {
  readonly type: number;
  readonly language: number;
}

/** Returns the text without surrounding white space, NULs and control characters. Binary fields are hexadecimal. */
export function decodeInventoryText(bytes: Uint8Array, { type, language }: TextEncoding): string {
  switch (type) {
    case BINARY:
      return bytesToHex(bytes);
    case BCD_PLUS:
      return [...bytes]
        .map((byte) => (BCD_DIGITS[byte >> 4] ?? '') + (BCD_DIGITS[byte & 0x0f] ?? ''))
        .join('')
        .trim();
    case SIX_BIT:
      return sixBitText(bytes).trim();
    default:
      return LANGUAGES_IN_LATIN.includes(language) ? latinText(bytes) : wideText(bytes);
  }
}

/** Encodes at most 63 bytes of Latin-1. A single byte gets a space, because a length of 1 marks the end of an area. */
export function encodeInventoryText(text: string): Uint8Array {
  const padded = text.length === 1 ? `${text} ` : text.slice(0, 0x3f);
  const bytes = Uint8Array.from(padded, (character) => character.charCodeAt(0));
  return Uint8Array.of(0xc0 | bytes.length, ...bytes);
}

/** Three bytes hold four characters, which start at the space. */
function sixBitText(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits |= byte << count;
    count += 8;
    for (; count >= 6; count -= 6) {
      text += String.fromCharCode(0x20 + (bits & 0x3f));
      bits >>= 6;
    }
  }
  return text;
}

function latinText(bytes: Uint8Array): string {
  return printable(String.fromCharCode(...bytes));
}

/** Other languages than English are in UCS-2 with the low byte first. */
function wideText(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index + 1 < bytes.length; index += 2) {
    text += String.fromCharCode((bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8));
  }
  return printable(text);
}

function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}
