import { decodeUtf8, encodeUtf8, quote } from '@tinkerbell/go-template';

/** The part of a URL that a text is for. Each part leaves other characters unescaped (Go's net/url). */
export type UrlPart = 'path' | 'userinfo' | 'host' | 'zone' | 'fragment';

/** Thrown with Go's text for an invalid URL. */
export class UrlError extends Error {}

const UNRESERVED = /^[A-Za-z0-9\-_.~]$/;

/** Go's reserved characters that may stay unescaped, by part. */
const ALLOWED: Readonly<Record<UrlPart, string>> = {
  path: '$&+,/:;=@',
  userinfo: '$&+,;=',
  host: '!$&\'()*+,;=:[]<>"',
  zone: '!$&\'()*+,;=:[]<>"',
  fragment: '$&+,/:;=?@!()*',
};

/** Returns true if Go's url.escape would write a character as %XX. */
function needsEscape(character: string, part: UrlPart): boolean {
  return !UNRESERVED.test(character) && !ALLOWED[part].includes(character);
}

/** Writes characters that the part may not contain as %XX, byte by byte. */
export function escapeUrl(source: string, part: UrlPart): string {
  return Array.from(encodeUtf8(source), (byte) => {
    const character = String.fromCharCode(byte);
    const isPlain = byte < 0x80 && !needsEscape(character, part);
    return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/**
 * Reads %XX. Throws UrlError for an invalid escape and, in hosts, for characters that must not be escaped or
 * present.
 */
export function unescapeUrl(source: string, part: UrlPart): string {
  const input = encodeUtf8(source);
  const bytes: number[] = [];
  for (let at = 0; at < input.length; at++) {
    const byte = input[at] ?? 0;
    if (byte === 0x25) {
      bytes.push(escapedByte(input, at, part));
      at += 2;
      continue;
    }
    const isHost = part === 'host' || part === 'zone';
    if (isHost && byte < 0x80 && needsEscape(String.fromCharCode(byte), part)) {
      throw new UrlError(`invalid character ${quote(String.fromCharCode(byte))} in host name`);
    }
    bytes.push(byte);
  }
  return decodeUtf8(Uint8Array.from(bytes));
}

function escapedByte(input: Uint8Array, at: number, part: UrlPart): number {
  const written = decodeUtf8(input.subarray(at, at + 3));
  if (!/^%[0-9a-fA-F]{2}$/.test(written)) throw new UrlError(`invalid URL escape ${quote(written)}`);
  const byte = Number.parseInt(written.slice(1), 16);
  const isAsciiInHost = part === 'host' && byte < 0x80 && written !== '%25';
  const isZoneProblem =
    part === 'zone' && written !== '%25' && byte !== 0x20 && needsEscape(String.fromCharCode(byte), 'host');
  if (isAsciiInHost || isZoneProblem) throw new UrlError(`invalid URL escape ${quote(written)}`);
  return byte;
}
