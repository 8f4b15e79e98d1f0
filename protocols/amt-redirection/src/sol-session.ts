/** A session of serial over LAN, of the side that watches the console. It decides, and its caller moves the bytes. */
import type { Account } from './digest-login.ts';
import { MessageReader } from './message-reader.ts';
import { dataIn, DATA_BYTES_MAX, message, type } from './messages.ts';
import {
  failed,
  notAmt,
  SessionLogin,
  unexpected,
  type FailedSession,
  type SessionSecrets,
} from './session-login.ts';

export interface SolStep {
  readonly sends: readonly Uint8Array[];
  /** What the serial port printed. */
  readonly output: readonly Uint8Array[];
  readonly outcome?: { readonly kind: 'open' | 'closed' } | FailedSession;
}

type State = 'login' | 'opening' | 'open' | 'over';

export class SolSession {
  readonly #login: SessionLogin;
  readonly #reader = new MessageReader('device', 'sol');
  #state: State = 'login';
  #sequence = 0;
  #sends: Uint8Array[] = [];
  #output: Uint8Array[] = [];

  /** Throws a RangeError for a user name of more than 255 bytes. */
  constructor(account: Account, secrets: SessionSecrets) {
    this.#login = new SessionLogin(account, secrets);
  }

  /** Returns what is sent first. */
  start(): Uint8Array {
    return message.startSession('sol');
  }

  /** Takes bytes of the device. Nothing happens after an outcome other than `open`. */
  take(bytes: Uint8Array): SolStep {
    const messages = this.#reader.take(bytes);
    let outcome: SolStep['outcome'];
    for (const one of messages) {
      if (this.#state === 'over') break;
      outcome = this.#on(one) ?? outcome;
    }
    if (this.#reader.isBroken && this.#state !== 'over') outcome = this.#fail(notAmt());
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

  #onLogin(bytes: Uint8Array): SolStep['outcome'] {
    const result = this.#login.take(bytes);
    switch (result.kind) {
      case 'asked':
        this.#sends.push(result.send);
        return undefined;
      case 'in':
        this.#state = 'opening';
        this.#sends.push(message.startSol(this.#next()));
        return undefined;
      case 'failed':
        return this.#fail(result);
    }
  }

  #onSol(status: number): SolStep['outcome'] {
    if (this.#state !== 'opening') return this.#fail(unexpected(this.#state));
    if (status !== 0)
      return this.#fail(failed('unsupported', `serial over LAN did not start (status ${status})`));
    this.#state = 'open';
    return { kind: 'open' };
  }

  #fail(failure: FailedSession): FailedSession {
    this.#state = 'over';
    return failure;
  }

  #next(): number {
    return this.#sequence++ >>> 0;
  }
}
