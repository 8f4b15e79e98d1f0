/** The login to a session of a simulated AMT. */
import { createHash, randomBytes } from 'node:crypto';
import {
  digestOf,
  encodeTexts,
  loginIn,
  loginType,
  message,
  textsIn,
  type LoginType,
} from '@tinkerbell/amt-redirection';
import type { AmtLies } from './amt-lies.ts';
import type { AmtAccount } from './amt-login.ts';

const REALM = 'Digest:A4070000000000000000000000000000';
const OFFERED = [loginType.plain, loginType.digest2069, loginType.digest2617];
const REFUSED = 1;

export class AmtSessionLogin {
  readonly #account: AmtAccount;
  readonly #lies: AmtLies;
  readonly #nonce = randomBytes(16).toString('hex');
  #isIn = false;

  constructor(account: AmtAccount, lies: AmtLies) {
    this.#account = account;
    this.#lies = lies;
  }

  get isIn(): boolean {
    return this.#isIn;
  }

  /** Returns the answer to `authenticate`. */
  answerTo(bytes: Uint8Array): Uint8Array {
    const { login, data } = loginIn(bytes);
    const texts = textsIn(data) ?? [];
    switch (login) {
      case loginType.query:
        return message.authenticated(0, login, Uint8Array.from(this.#offered()));
      case loginType.plain:
        return this.#decide(login, texts[1] === this.#account.password && this.#isUser(texts));
      case loginType.digest2069:
      case loginType.digest2617:
        return this.#onDigest(login, texts);
      default:
        return this.#decide(loginType.query, false);
    }
  }

  #onDigest(login: LoginType, texts: readonly string[]): Uint8Array {
    const [username = '', , nonce = '', , clientNonce = '', count = '', response = ''] = texts;
    if (response === '') {
      const quality = login === loginType.digest2617 ? ['auth'] : [];
      return message.authenticated(REFUSED, login, encodeTexts([REALM, this.#nonce, ...quality]));
    }
    const { password } = this.#account;
    const given = { login, realm: REALM, nonce, username, password, count, clientNonce };
    return this.#decide(
      login,
      nonce === this.#nonce && response === digestOf(given, md5) && this.#isUser(texts),
    );
  }

  #isUser([username]: readonly string[]): boolean {
    return username === this.#account.username;
  }

  #offered(): readonly number[] {
    return this.#lies.hasNoDigest === true ? [loginType.plain] : OFFERED;
  }

  #decide(login: LoginType, isIn: boolean): Uint8Array {
    this.#isIn = isIn;
    return message.authenticated(isIn ? 0 : REFUSED, login, new Uint8Array());
  }
}

function md5(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('hex');
}
