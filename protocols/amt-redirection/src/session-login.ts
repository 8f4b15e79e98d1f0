/** The start of a session, which is the same for consoles and drives: whether the device has it, and the login. */
import {
  decodeChallenge,
  encodeAnswer,
  encodeChallengeRequest,
  loginFor,
  type Account,
  type Md5,
} from './digest-login.ts';
import { loginIn, loginType, message, startStatus, type, type LoginType } from './messages.ts';

/**
 * - `busy`: another session has the console or the drive.
 * - `unsupported`: AMT does not have it, has it switched off, or offers no digest authentication.
 * - `wrong-credentials`: the login was refused.
 * - `invalid`: the device does not speak this protocol.
 */
export type SessionFailure = 'busy' | 'unsupported' | 'wrong-credentials' | 'invalid';

export interface FailedSession {
  readonly kind: 'failed';
  readonly failure: SessionFailure;
  readonly message: string;
}

export interface SessionSecrets {
  readonly md5: Md5;
  /** Random text of this session. */
  readonly clientNonce: string;
}

type LoginResult =
  | { readonly kind: 'asked'; readonly send: Uint8Array }
  | { readonly kind: 'in' }
  | FailedSession;
type State = 'starting' | 'asking' | 'challenged' | 'answered' | 'in';

/** Also the devices that answer with an undocumented status are unsupported. */
const REFUSALS: Readonly<Record<number, SessionFailure>> = { [startStatus.busy]: 'busy' };

export class SessionLogin {
  readonly #account: Account;
  readonly #secrets: SessionSecrets;
  #state: State = 'starting';
  #login: LoginType = loginType.query;

  /** Throws a RangeError for a user name of more than 255 bytes. */
  constructor(account: Account, secrets: SessionSecrets) {
    encodeChallengeRequest(loginType.digest2617, account);
    this.#account = account;
    this.#secrets = secrets;
  }

  /** Takes a message of the device that is older than the session's own: `startedSession` or `authenticated`. */
  take(bytes: Uint8Array): LoginResult {
    if (bytes[0] === type.startedSession) return this.#onStarted(bytes[1] ?? 0);
    if (bytes[0] === type.authenticated) return this.#onLogin(bytes);
    return this.#unexpected();
  }

  #onStarted(status: number): LoginResult {
    if (this.#state !== 'starting') return this.#unexpected();
    if (status !== startStatus.success)
      return failed(REFUSALS[status] ?? 'unsupported', `it refused the session (status ${status})`);
    this.#state = 'asking';
    return { kind: 'asked', send: message.authenticate(loginType.query, new Uint8Array()) };
  }

  #onLogin(bytes: Uint8Array): LoginResult {
    const { status, login, data } = loginIn(bytes);
    switch (this.#state) {
      case 'asking':
        return login === loginType.query ? this.#onOffer(data) : this.#unexpected();
      case 'challenged':
        return login === this.#login ? this.#onChallenge(data) : this.#unexpected();
      case 'answered':
        if (status !== 0) return failed('wrong-credentials', 'it refused the login');
        this.#state = 'in';
        return { kind: 'in' };
      case 'starting':
      case 'in':
        return this.#unexpected();
    }
  }

  #onOffer(offered: Uint8Array): LoginResult {
    const login = loginFor(offered);
    if (login === undefined) return failed('unsupported', 'it offers no digest authentication');
    this.#login = login;
    this.#state = 'challenged';
    const request = encodeChallengeRequest(login, this.#account);
    return { kind: 'asked', send: message.authenticate(login, request) };
  }

  #onChallenge(data: Uint8Array): LoginResult {
    const challenge = decodeChallenge(this.#login, data);
    if (challenge === undefined) return failed('invalid', 'its challenge cannot be read');
    this.#state = 'answered';
    const answer = encodeAnswer(challenge, this.#account, this.#secrets);
    return { kind: 'asked', send: message.authenticate(this.#login, answer) };
  }

  #unexpected(): FailedSession {
    return unexpected(this.#state);
  }
}

export function failed(failure: SessionFailure, text: string): FailedSession {
  return { kind: 'failed', failure, message: text };
}

export function unexpected(state: string): FailedSession {
  return failed('invalid', `it sent an answer that nobody asked for (${state})`);
}

export function notAmt(): FailedSession {
  return failed('invalid', 'it sent something else than messages of AMT');
}
