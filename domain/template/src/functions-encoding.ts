import { decodeUtf8, encodeUtf8, type FunctionSpec, STRING, stringValue } from '@tinkerbell/go-template';
import { text } from './operands.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Sprig's base64 functions, standard alphabet with padding. */
export const ENCODING_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  b64enc: { params: [STRING], result: STRING, call: ([source]) => stringValue(encodeBase64(text(source))) },
  b64dec: { params: [STRING], result: STRING, call: ([source]) => stringValue(decodeBase64(text(source))) },
};

function encodeBase64(source: string): string {
  const bytes = encodeUtf8(source);
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const group = bytes.subarray(i, i + 3);
    const bits = ((group[0] ?? 0) << 16) | ((group[1] ?? 0) << 8) | (group[2] ?? 0);
    const letters = [18, 12, 6, 0].map((shift) => ALPHABET.charAt((bits >> shift) & 63)).join('');
    parts.push(letters.slice(0, group.length + 1).padEnd(4, '='));
  }
  return parts.join('');
}

/** Returns the decoded text, or Go's error text in its place, as sprig does. Line breaks are skipped. */
function decodeBase64(source: string): string {
  const letters: { value: number; at: number }[] = [];
  const bytes: number[] = [];
  const input = encodeUtf8(source);
  for (let at = 0; at < input.length; at++) {
    const character = String.fromCharCode(input[at] ?? 0);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return finishBase64(input, at, { letters, bytes });
    const value = ALPHABET.indexOf(character);
    if (value < 0) return corrupt(at);
    letters.push({ value, at });
    if (letters.length === 4) bytes.push(...decodeGroup(letters.splice(0)));
  }
  const pending = letters[0];
  return pending === undefined ? decodeUtf8(Uint8Array.from(bytes)) : corrupt(input.length - letters.length);
}

interface PartlyDecoded {
  readonly letters: readonly { value: number; at: number }[];
  readonly bytes: readonly number[];
}

/** Handles the padding that starts at `at`: nothing but padding may follow. */
function finishBase64(input: Uint8Array, at: number, { letters, bytes }: PartlyDecoded): string {
  if (letters.length < 2) return corrupt(at);
  let end = skipBreaks(input, at + 1);
  if (letters.length === 2) {
    if (end === input.length) return corrupt(input.length);
    if (input[end] !== 0x3d) return corrupt(end - 1);
    end = skipBreaks(input, end + 1);
  }
  if (end < input.length) return corrupt(end);
  return decodeUtf8(Uint8Array.from([...bytes, ...decodeGroup(letters)]));
}

function skipBreaks(input: Uint8Array, from: number): number {
  let at = from;
  while (input[at] === 10 || input[at] === 13) at += 1;
  return at;
}

function decodeGroup(letters: readonly { value: number }[]): number[] {
  const bits = letters.reduce((sum, { value }, i) => sum | (value << (18 - 6 * i)), 0);
  return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255].slice(0, letters.length - 1);
}

function corrupt(at: number): string {
  return `illegal base64 data at input byte ${at}`;
}
