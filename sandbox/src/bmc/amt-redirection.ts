/** The sessions of a simulated Intel AMT: one at a time has the serial console, and one the drive. */
import type { Socket } from 'node:net';
import {
  dataIn,
  message,
  MessageReader,
  sessionKindIn,
  startStatus,
  type,
  type SessionKind,
} from '@tinkerbell/amt-redirection';
import { AmtDriveSession } from './amt-drive-session.ts';
import type { AmtLies } from './amt-lies.ts';
import type { AmtAccount } from './amt-login.ts';
import { AmtSessionLogin } from './amt-session-login.ts';
import type { RedfishSimulatedMachine } from './redfish-machine.ts';
import type { SimulatedSerial } from './simulated-machine.ts';

export interface AmtRedirectionOptions {
  readonly account: AmtAccount;
  readonly machine: RedfishSimulatedMachine;
  readonly lies: AmtLies;
  /** Whether the firmware has it switched on. */
  readonly offers: (kind: SessionKind) => boolean;
}

export class AmtRedirection {
  readonly #options: AmtRedirectionOptions;
  readonly #active = new Map<SessionKind, Session>();

  constructor(options: AmtRedirectionOptions) {
    this.#options = options;
    options.machine.serial.onOutput = (characters) => {
      const session = this.#active.get('sol')?.kindSession;
      if (session instanceof ConsoleSession) session.print(characters);
    };
  }

  /** The session that has the drive. */
  get drive(): AmtDriveSession | undefined {
    const session = this.#active.get('ider')?.kindSession;
    return session instanceof AmtDriveSession ? session : undefined;
  }

  serve(socket: Socket): void {
    const session = new Session(socket, this.#options, (kind) => this.#active.has(kind));
    const reader = new MessageReader('console');
    socket.on('error', () => undefined);
    socket.on('close', () => this.#close(session));
    socket.on('data', (bytes: Uint8Array) => {
      const { consoleSends } = this.#options.lies;
      if (consoleSends !== undefined) return void socket.write(consoleSends);
      for (const one of reader.take(bytes)) {
        if (!session.on(one)) return void socket.end();
        if (session.isOpen) this.#open(session);
      }
      if (reader.isBroken) socket.end();
    });
  }

  #open(session: Session): void {
    if (session.kind === undefined) return;
    this.#active.set(session.kind, session);
    if (session.kind === 'ider') this.#options.machine.redirectedDisc = this.drive;
  }

  #close(session: Session): void {
    session.kindSession?.close();
    if (session.kind === undefined || this.#active.get(session.kind) !== session) return;
    this.#active.delete(session.kind);
    if (session.kind === 'ider') this.#options.machine.redirectedDisc = undefined;
  }
}

/** The part of a session that is the same for both kinds. */
class Session {
  kind: SessionKind | undefined;
  kindSession: ConsoleSession | AmtDriveSession | undefined;
  readonly #socket: Socket;
  readonly #options: AmtRedirectionOptions;
  readonly #isTaken: (kind: SessionKind) => boolean;
  readonly #login: AmtSessionLogin;

  constructor(socket: Socket, options: AmtRedirectionOptions, isTaken: (kind: SessionKind) => boolean) {
    this.#socket = socket;
    this.#options = options;
    this.#isTaken = isTaken;
    this.#login = new AmtSessionLogin(options.account, options.lies);
  }

  get isOpen(): boolean {
    return this.kindSession?.isOpen === true;
  }

  /** Returns false when the session is over. */
  on(bytes: Uint8Array): boolean {
    switch (bytes[0]) {
      case type.startSession:
        this.kind = sessionKindIn(bytes);
        this.#socket.write(message.startedSession(this.#startStatus()));
        return true;
      case type.authenticate:
        this.#socket.write(this.#login.answerTo(bytes));
        return true;
      case type.endSession:
        return false;
      default:
        if (!this.#login.isIn || this.kind === undefined) return false;
        this.kindSession ??= this.#created(this.kind);
        return this.kindSession.on(bytes);
    }
  }

  #startStatus(): number {
    if (this.kind === undefined) return startStatus.unknownType;
    if (!this.#options.offers(this.kind)) return startStatus.unsupported;
    return this.#isTaken(this.kind) ? startStatus.busy : startStatus.success;
  }

  #created(kind: SessionKind): ConsoleSession | AmtDriveSession {
    const send = (bytes: Uint8Array): void => void this.#socket.write(bytes);
    const { lies, machine } = this.#options;
    return kind === 'sol' ? new ConsoleSession(send, machine.serial, lies) : new AmtDriveSession(send, lies);
  }
}

class ConsoleSession {
  isOpen = false;
  readonly #send: (bytes: Uint8Array) => void;
  readonly #serial: SimulatedSerial;
  readonly #lies: AmtLies;
  #sequence = 0;

  constructor(send: (bytes: Uint8Array) => void, serial: SimulatedSerial, lies: AmtLies) {
    this.#send = send;
    this.#serial = serial;
    this.#lies = lies;
  }

  print(characters: Uint8Array): void {
    this.#send(message.dataFromHost(this.#sequence++, characters));
  }

  close(): void {
    this.isOpen = false;
  }

  /** Returns false when the session is over. */
  on(bytes: Uint8Array): boolean {
    switch (bytes[0]) {
      case type.startSol:
        this.isOpen = this.#lies.hasNoSol !== true;
        this.#send(message.startedSol(this.isOpen ? 0 : 1, this.#sequence++));
        return this.isOpen;
      case type.dataToHost:
        if (this.isOpen) this.#serial.write(dataIn(bytes));
        return this.isOpen;
      case type.ping:
        this.#send(message.pong(this.#sequence++));
        return true;
      case type.endSol:
        this.#send(message.endedSol(this.#sequence++));
        return true;
      default:
        return true;
    }
  }
}
