/** The serial console of a simulated Intel AMT. One session at a time has it. */
import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  dataIn,
  digestOf,
  encodeTexts,
  loginIn,
  loginType,
  message,
  MessageReader,
  startStatus,
  textsIn,
  type,
  type LoginType,
} from '@tinkerbell/amt-redirection';
import type { AmtLies } from './amt-lies.ts';
import type { AmtAccount } from './amt-login.ts';
import type { SimulatedSerial } from './simulated-machine.ts';

export interface AmtRedirectionOptions {
  readonly account: AmtAccount;
  readonly serial: SimulatedSerial;
  readonly lies: AmtLies;
}

const REALM = 'Digest:A4070000000000000000000000000000';
const OFFERED = [loginType.plain, loginType.digest2069, loginType.digest2617];
const REFUSED = 1;

export class AmtRedirection {
  readonly #options: AmtRedirectionOptions;
  #active: AmtConsoleSession | undefined;

  constructor(options: AmtRedirectionOptions) {
    this.#options = options;
    options.serial.onOutput = (characters) => this.#active?.print(characters);
  }

  serve(socket: Socket): void {
    const session = new AmtConsoleSession(socket, this.#options);
    const reader = new MessageReader('console');
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#active === session) this.#active = undefined;
    });
    socket.on('data', (bytes: Uint8Array) => {
      const { consoleSends } = this.#options.lies;
      if (consoleSends !== undefined) return void socket.write(consoleSends);
      for (const one of reader.take(bytes)) {
        if (!session.on(one, this.#isBusy(session))) return void socket.end();
        if (session.isOpen) this.#active = session;
      }
      if (reader.isBroken) socket.end();
    });
  }

  #isBusy(session: AmtConsoleSession): boolean {
    return this.#active !== undefined && this.#active !== session;
  }
}

class AmtConsoleSession {
  isOpen = false;
  readonly #socket: Socket;
  readonly #options: AmtRedirectionOptions;
  readonly #nonce = randomBytes(16).toString('hex');
  #isIn = false;
  #sequence = 0;

  constructor(socket: Socket, options: AmtRedirectionOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  print(characters: Uint8Array): void {
    this.#socket.write(message.dataFromHost(this.#sequence++, characters));
  }

  /** Returns false when the session is over. */
  on(bytes: Uint8Array, isBusy: boolean): boolean {
    switch (bytes[0]) {
      case type.startSession:
        this.#socket.write(message.startedSession(this.#startStatus(isBusy)));
        return true;
      case type.authenticate:
        this.#logIn(bytes);
        return true;
      case type.startSol:
        if (!this.#isIn) return false;
        this.isOpen = this.#options.lies.hasNoSol !== true;
        this.#socket.write(message.startedSol(this.isOpen ? 0 : 1, this.#sequence++));
        return this.isOpen;
      case type.dataToHost:
        if (this.isOpen) this.#options.serial.write(dataIn(bytes));
        return this.isOpen;
      case type.ping:
        this.#socket.write(message.pong(this.#sequence++));
        return true;
      case type.endSol:
        this.#socket.write(message.endedSol(this.#sequence++));
        return true;
      case type.endSession:
        return false;
      default:
        return true;
    }
  }

  #startStatus(isBusy: boolean): number {
    return isBusy ? startStatus.busy : startStatus.success;
  }

  #logIn(bytes: Uint8Array): void {
    const { login, data } = loginIn(bytes);
    const texts = textsIn(data) ?? [];
    switch (login) {
      case loginType.query:
        return this.#answer(0, login, Uint8Array.from(this.#offered()));
      case loginType.plain:
        return this.#decide(login, texts[1] === this.#options.account.password && this.#isUser(texts));
      case loginType.digest2069:
      case loginType.digest2617:
        return this.#onDigest(login, texts);
      default:
        return this.#decide(loginType.query, false);
    }
  }

  #onDigest(login: LoginType, texts: readonly string[]): void {
    const [username = '', , nonce = '', , clientNonce = '', count = '', response = ''] = texts;
    if (response === '') {
      const quality = login === loginType.digest2617 ? ['auth'] : [];
      return this.#answer(REFUSED, login, encodeTexts([REALM, this.#nonce, ...quality]));
    }
    const { password } = this.#options.account;
    const given = { login, realm: REALM, nonce, username, password, count, clientNonce };
    this.#decide(login, nonce === this.#nonce && response === digestOf(given, md5) && this.#isUser(texts));
  }

  #isUser([username]: readonly string[]): boolean {
    return username === this.#options.account.username;
  }

  #offered(): readonly number[] {
    return this.#options.lies.hasNoDigest === true ? [loginType.plain] : OFFERED;
  }

  #decide(login: LoginType, isIn: boolean): void {
    this.#isIn = isIn;
    this.#answer(isIn ? 0 : REFUSED, login, new Uint8Array());
  }

  #answer(status: number, login: LoginType, data: Uint8Array): void {
    this.#socket.write(message.authenticated(status, login, data));
  }
}

function md5(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('hex');
}
