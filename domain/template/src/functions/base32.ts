import { encodeUtf8 } from '@tinkerbell/go-template';
import type { Decoded } from './base64.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const GROUP = 8;

/** Encodes with the standard alphabet and padding. */
export function encodeBase32(bytes: Uint8Array): string {
  let bits = '';
  const letters: string[] = [];
  for (const byte of bytes) {
    bits += byte.toString(2).padStart(8, '0');
    while (bits.length >= 5) {
      letters.push(ALPHABET.charAt(Number.parseInt(bits.slice(0, 5), 2)));
      bits = bits.slice(5);
    }
  }
  if (bits !== '') letters.push(ALPHABET.charAt(Number.parseInt(bits.padEnd(5, '0'), 2)));
  while (letters.length % GROUP !== 0) letters.push('=');
  return letters.join('');
}

/** Returns the bytes, or Go's error text. Line breaks are skipped, and do not count in the error's place. */
export function decodeBase32(source: string): Decoded {
  const input = Array.from(encodeUtf8(source.replace(/[\r\n]/g, '')), (byte) => String.fromCharCode(byte));
  const bytes: number[] = [];
  for (let at = 0; at < input.length; at += GROUP) {
    const group = readGroup(input, at);
    if (!group.ok) return { ok: false, error: `illegal base32 data at input byte ${group.at}` };
    bytes.push(...groupBytes(group.values));
    if (group.values.length < GROUP) break;
  }
  return { ok: true, bytes: Uint8Array.from(bytes) };
}

type Group =
  | { readonly ok: true; readonly values: readonly number[] }
  | { readonly ok: false; readonly at: number };

/** Decodes eight letters from `start`, or fewer and padding up to the end of the input. */
function readGroup(input: readonly string[], start: number): Group {
  const values: number[] = [];
  for (let at = start; values.length < GROUP; at++) {
    const letter = input[at];
    if (letter === undefined) return { ok: false, at: at - values.length };
    if (letter === '=' && values.length >= 2 && input.length - at - 1 < GROUP)
      return readPadding(input, at, values);
    const value = ALPHABET.indexOf(letter);
    if (value < 0) return { ok: false, at };
    values.push(value);
  }
  return { ok: true, values };
}

function readPadding(input: readonly string[], at: number, values: readonly number[]): Group {
  const rest = input.length - at - 1;
  if (rest + values.length < GROUP - 1) return { ok: false, at: input.length };
  for (let k = 0; k < GROUP - 1 - values.length; k++) {
    if (rest > k && input[at + 1 + k] !== '=') return { ok: false, at: at + k };
  }
  if ([1, 3, 6].includes(values.length)) return { ok: false, at };
  return { ok: true, values };
}

function groupBytes(values: readonly number[]): number[] {
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2),
  );
}
