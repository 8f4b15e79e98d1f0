import { encodeUtf8 } from '@tinkerbell/go-template';
import type { TemplatePlatform } from '../template-platform.ts';

/** The Master Password algorithm, version 0 to 3 for ASCII names (sprig's derivePassword). */

const SEED = 'com.lyndir.masterpassword';
const KEY_SIZE = 64;

const SHAPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['maximum', ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno']],
  [
    'long',
    [
      'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv',
      'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv',
      'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno',
    ].flatMap((line) => line.split(' ')),
  ],
  ['medium', ['CvcnoCvc', 'CvcCvcno']],
  ['short', ['Cvcn']],
  ['basic', ['aaanaaan', 'aannaaan', 'aaannaaa']],
  ['pin', ['nnnn']],
]);

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['V', 'AEIOU'],
  ['C', 'BCDFGHJKLMNPQRSTVWXYZ'],
  ['v', 'aeiou'],
  ['c', 'bcdfghjklmnpqrstvwxyz'],
  ['A', 'AEIOUBCDFGHJKLMNPQRSTVWXYZ'],
  ['a', 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz'],
  ['n', '0123456789'],
  ['o', "@&%?,=[]_:-+*$#!'^~;()/."],
  ['x', 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()'],
]);

export interface PasswordRequest {
  readonly counter: number;
  /** One of the names in SHAPES. */
  readonly shape: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

/** Returns the password for a site, or like sprig a text that states that the shape does not exist. */
export function derivePassword(
  { counter, shape, password, user, site }: PasswordRequest,
  platform: TemplatePlatform,
): string {
  const shapes = SHAPES.get(shape);
  if (shapes === undefined) return `cannot find password template ${shape}`;
  const name = encodeUtf8(user);
  const key = platform.scrypt(
    encodeUtf8(password),
    joined(encodeUtf8(SEED), size(name.length), name),
    KEY_SIZE,
  );
  const place = encodeUtf8(site);
  const message = joined(encodeUtf8(SEED), size(place.length), place, size(counter));
  const seed = platform.hmacSha256(key, message);
  const chosen = shapes[(seed[0] ?? 0) % shapes.length] ?? '';
  return Array.from(chosen, (kind, i) => {
    const letters = LETTERS.get(kind) ?? '';
    return letters.charAt((seed[i + 1] ?? 0) % letters.length);
  }).join('');
}

/** Returns four bytes, the most significant first. */
function size(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
