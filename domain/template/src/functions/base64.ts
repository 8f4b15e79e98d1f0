import { encodeUtf8 } from '@tinkerbell/go-template';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export type Decoded =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly error: string };

/** Encodes with the standard alphabet and padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const group = bytes.subarray(i, i + 3);
    const bits = ((group[0] ?? 0) << 16) | ((group[1] ?? 0) << 8) | (group[2] ?? 0);
    const letters = [18, 12, 6, 0].map((shift) => ALPHABET.charAt((bits >> shift) & 63)).join('');
    parts.push(letters.slice(0, group.length + 1).padEnd(4, '='));
  }
  return parts.join('');
}

/** Returns the bytes, or Go's error text. Line breaks are skipped. */
export function decodeBase64(source: string): Decoded {
  const letters: number[] = [];
  const bytes: number[] = [];
  const input = encodeUtf8(source);
  for (let at = 0; at < input.length; at++) {
    const character = String.fromCharCode(input[at] ?? 0);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return finishBase64(input, at, { letters, bytes });
    const value = ALPHABET.indexOf(character);
    if (value < 0) return corrupt(at);
    letters.push(value);
    if (letters.length === 4) bytes.push(...decodeGroup(letters.splice(0)));
  }
  return letters.length === 0 ? decoded(bytes) : corrupt(input.length - letters.length);
}

interface PartlyDecoded {
  readonly letters: readonly number[];
  readonly bytes: readonly number[];
}

/** Handles the padding that starts at `at`. Only padding may follow. */
function finishBase64(input: Uint8Array, at: number, { letters, bytes }: PartlyDecoded): Decoded {
  if (letters.length < 2) return corrupt(at);
  let end = skipBreaks(input, at + 1);
  if (letters.length === 2) {
    if (end === input.length) return corrupt(input.length);
    if (input[end] !== 0x3d) return corrupt(end - 1);
    end = skipBreaks(input, end + 1);
  }
  if (end < input.length) return corrupt(end);
  return decoded([...bytes, ...decodeGroup(letters)]);
}

function skipBreaks(input: Uint8Array, from: number): number {
  let at = from;
  while (input[at] === 10 || input[at] === 13) at += 1;
  return at;
}

function decodeGroup(letters: readonly number[]): number[] {
  const bits = letters.reduce((sum, value, i) => sum | (value << (18 - 6 * i)), 0);
  return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255].slice(0, letters.length - 1);
}

function decoded(bytes: readonly number[]): Decoded {
  return { ok: true, bytes: Uint8Array.from(bytes) };
}

function corrupt(at: number): Decoded {
  return { ok: false, error: `illegal base64 data at input byte ${at}` };
}
