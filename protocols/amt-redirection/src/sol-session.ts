/** A session of serial over LAN, of the side that watches the console. It decides, and its caller moves the bytes. */
import {
  decodeChallenge,
  encodeAnswer,
  encodeChallengeRequest,
  loginFor,
  type Account,
  type Md5,
} from './digest-login.ts';
import { MessageReader } from './message-reader.ts';
import {
  dataIn,
  DATA_BYTES_MAX,
  loginIn,
  loginType,
  message,
  startStatus,
  type,
  type LoginType,
} from './messages.ts';

/**
 * - `busy`: another session has the console.
 * - `unsupported`: AMT has no serial over LAN, has it switched off, or offers no digest authentication.
 * - `wrong-credentials`: the login was refused.
 * - `invalid`: the device does not speak this protocol.
 */
export type SolFailure = 'busy' | 'unsupported' | 'wrong-credentials' | 'invalid';

export interface SolStep {
  readonly sends: readonly Uint8Array[];
  /** What the serial port printed. */
  readonly output: readonly Uint8Array[];
  readonly outcome?:
    | { readonly kind: 'open' | 'closed' }
    | { readonly kind: 'failed'; readonly failure: SolFailure; readonly message: string };
}

type State = 'starting' | 'asking' | 'challenged' | 'answered' | 'opening' | 'open' | 'over';

/** Also the devices that answer with an undocumented status are unsupported. */
const REFUSALS: Readonly<Record<number, SolFailure>> = { [startStatus.busy]: 'busy' };

export class SolSession {
  readonly #account: Account;
  readonly #secrets: { readonly md5: Md5; readonly clientNonce: string };
  readonly #reader = new MessageReader('device');
  #state: State = 'starting';
  #login: LoginType = loginType.query;
  #sequence = 0;
  #sends: Uint8Array[] = [];
  #output: Uint8Array[] = [];

  /** `clientNonce` is random text of this session. Throws a RangeError for a user name of more than 255 bytes. */
  constructor(account: Account, secrets: { readonly md5: Md5; readonly clientNonce: string }) {
    encodeChallengeRequest(loginType.digest2617, account);
    this.#account = account;
    this.#secrets = secrets;
  }

  /** Returns what is sent first. */
  start(): Uint8Array {
    return message.startSession();
  }

  /** Takes bytes of the device. Nothing happens after an outcome other than `open`. */
  take(bytes: Uint8Array): SolStep {
    const messages = this.#reader.take(bytes);
    let outcome: SolStep['outcome'];
    for (const one of messages) {
      if (this.#state === 'over') break;
      outcome = this.#on(one) ?? outcome;
    }
    if (this.#reader.isBroken && this.#state !== 'over')
      outcome = this.#fail('invalid', 'it sent something else than messages of AMT');
    const step = { sends: this.#sends, output: this.#output, ...(outcome === undefined ? {} : { outcome }) };
    this.#sends = [];
    this.#output = [];
    return step;
  }

  /** Returns the messages with these characters. They may be sent when the session is open. */
  write(characters: Uint8Array): readonly Uint8Array[] {
    const messages: Uint8Array[] = [];
    for (let from = 0; from < characters.length; from += DATA_BYTES_MAX)
      messages.push(message.dataToHost(this.#next(), characters.subarray(from, from + DATA_BYTES_MAX)));
    return messages;
  }

  /** Returns the messages that end the session. */
  end(): readonly Uint8Array[] {
    const wasOpen = this.#state === 'open';
    this.#state = 'over';
    return wasOpen ? [message.endSol(this.#next()), message.endSession()] : [message.endSession()];
  }

  #on(bytes: Uint8Array): SolStep['outcome'] {
    switch (bytes[0]) {
      case type.startedSession:
        return this.#onStarted(bytes[1] ?? 0);
      case type.authenticated:
        return this.#onLogin(bytes);
      case type.startedSol:
        return this.#onSol(bytes[1] ?? 0);
      case type.dataFromHost:
        if (this.#state === 'open') this.#output.push(dataIn(bytes));
        return undefined;
      case type.heartbeat:
        this.#sends.push(message.heartbeat(this.#next()));
        return undefined;
      case type.endedSol:
        this.#state = 'over';
        return { kind: 'closed' };
      default:
        return undefined;
    }
  }

  #onStarted(status: number): SolStep['outcome'] {
    if (this.#state !== 'starting') return this.#unexpected();
    if (status !== startStatus.success)
      return this.#fail(REFUSALS[status] ?? 'unsupported', `it refused a console (status ${status})`);
    this.#state = 'asking';
    this.#sends.push(message.authenticate(loginType.query, new Uint8Array()));
    return undefined;
  }

  #onLogin(bytes: Uint8Array): SolStep['outcome'] {
    const { status, login, data } = loginIn(bytes);
    switch (this.#state) {
      case 'asking':
        return login === loginType.query ? this.#onOffer(data) : this.#unexpected();
      case 'challenged':
        return login === this.#login ? this.#onChallenge(data) : this.#unexpected();
      case 'answered':
        if (status !== 0) return this.#fail('wrong-credentials', 'it refused the login');
        this.#state = 'opening';
        this.#sends.push(message.startSol(this.#next()));
        return undefined;
      default:
        return this.#unexpected();
    }
  }

  #onOffer(offered: Uint8Array): SolStep['outcome'] {
    const login = loginFor(offered);
    if (login === undefined) return this.#fail('unsupported', 'it offers no digest authentication');
    this.#login = login;
    this.#state = 'challenged';
    this.#sends.push(message.authenticate(login, encodeChallengeRequest(login, this.#account)));
    return undefined;
  }

  #onChallenge(data: Uint8Array): SolStep['outcome'] {
    const challenge = decodeChallenge(this.#login, data);
    if (challenge === undefined) return this.#fail('invalid', 'its challenge cannot be read');
    this.#state = 'answered';
    const answer = encodeAnswer(challenge, this.#account, this.#secrets);
    this.#sends.push(message.authenticate(this.#login, answer));
    return undefined;
  }

  #onSol(status: number): SolStep['outcome'] {
    if (this.#state !== 'opening') return this.#unexpected();
    if (status !== 0) return this.#fail('unsupported', `serial over LAN did not start (status ${status})`);
    this.#state = 'open';
    return { kind: 'open' };
  }

  #unexpected(): SolStep['outcome'] {
    return this.#fail('invalid', `it sent an answer that nobody asked for (${this.#state})`);
  }

  #fail(failure: SolFailure, text: string): SolStep['outcome'] {
    this.#state = 'over';
    return { kind: 'failed', failure, message: text };
  }

  #next(): number {
    return this.#sequence++ >>> 0;
  }
}
