/** The login: digest authentication (RFC 2617, or RFC 2069 without a quality of protection), as texts with a length byte each. */
import { decodeUtf8, encodeUtf8 } from '@tinkerbell/wire';
import { loginType, type LoginType } from './messages.ts';

/** Hashes text as UTF-8. Returns lower-case hex. */
export type Md5 = (text: string) => string;

export const REDIRECTION_URI = '/RedirectionService';
const METHOD = 'POST';
const QUALITY = 'auth';
/** What other clients send. The first request of a login asks for the challenge. */
const COUNT = '00000002';
const TEXT_BYTES_MAX = 255;

export interface Account {
  readonly username: string;
  readonly password: string;
}

export interface Challenge {
  readonly login: LoginType;
  readonly realm: string;
  readonly nonce: string;
}

/** Returns the best of the ways that a device offers. Undefined when it offers only the password itself. */
export function loginFor(offered: Uint8Array): LoginType | undefined {
  return [loginType.digest2617, loginType.digest2069].find((one) => offered.includes(one));
}

/** The data of a request for a challenge. Throws a RangeError for a user name of more than 255 bytes. */
export function encodeChallengeRequest(login: LoginType, { username }: Account): Uint8Array {
  const empty = login === loginType.digest2617 ? ['', '', '', ''] : ['', '', ''];
  return encodeTexts([username, '', '', REDIRECTION_URI, ...empty]);
}

/** Undefined when the data has no challenge of this way. */
export function decodeChallenge(login: LoginType, data: Uint8Array): Challenge | undefined {
  const [realm, nonce, quality] = textsIn(data) ?? [];
  if (realm === undefined || nonce === undefined || nonce === '') return undefined;
  if (login === loginType.digest2617 && quality !== QUALITY) return undefined;
  return { login, realm, nonce };
}

/** The data of the answer to a challenge. `clientNonce` is random. */
export function encodeAnswer(
  challenge: Challenge,
  account: Account,
  { md5, clientNonce }: { readonly md5: Md5; readonly clientNonce: string },
): Uint8Array {
  const { login, realm, nonce } = challenge;
  const quality = login === loginType.digest2617 ? [QUALITY] : [];
  const response = digestOf({ ...challenge, ...account, count: COUNT, clientNonce }, md5);
  return encodeTexts([
    account.username,
    realm,
    nonce,
    REDIRECTION_URI,
    clientNonce,
    COUNT,
    response,
    ...quality,
  ]);
}

/** Returns what proves the password, in lower-case hex. */
export function digestOf(
  given: Challenge & Account & { readonly count: string; readonly clientNonce: string },
  md5: Md5,
): string {
  const { login, realm, nonce, username, password, count, clientNonce } = given;
  const secret = md5(`${username}:${realm}:${password}`);
  const middle = login === loginType.digest2617 ? `${nonce}:${count}:${clientNonce}:${QUALITY}` : nonce;
  return md5(`${secret}:${middle}:${md5(`${METHOD}:${REDIRECTION_URI}`)}`);
}

export function encodeTexts(texts: readonly string[]): Uint8Array {
  return Uint8Array.from(
    texts.flatMap((text) => {
      const bytes = encodeUtf8(text);
      if (bytes.length > TEXT_BYTES_MAX) throw new RangeError(`a text of ${bytes.length} bytes is too long`);
      return [bytes.length, ...bytes];
    }),
  );
}

/** Undefined when a text is longer than the data, or is not UTF-8. */
export function textsIn(data: Uint8Array): readonly string[] | undefined {
  const texts: string[] = [];
  let at = 0;
  while (at < data.length) {
    const end = at + 1 + (data[at] ?? 0);
    const text = end > data.length ? undefined : decodeUtf8(data.subarray(at + 1, end));
    if (text === undefined) return undefined;
    texts.push(text);
    at = end;
  }
  return texts;
}
