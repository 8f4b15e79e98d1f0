/** A session of redirected drives (IDER) with one CD, of the side that has the disc. It decides, and its caller moves the bytes. */
import { BLOCK_BYTES, cdAnswerTo, sense, senseAfter, type BlockRange } from './cd-drive.ts';
import type { Account } from './digest-login.ts';
import {
  bufferBytesIn,
  commandIn,
  device,
  iderMessage,
  iderType,
  isEnabledIn,
  NO_SENSE,
  sequenceIn,
  type DriveCommand,
  type Sense,
} from './ider-messages.ts';
import { MessageReader } from './message-reader.ts';
import { message, type } from './messages.ts';
import {
  failed,
  notAmt,
  SessionLogin,
  unexpected,
  type FailedSession,
  type SessionSecrets,
} from './session-login.ts';

export interface IderStep {
  readonly sends: readonly Uint8Array[];
  /** The machine reads these blocks. Give their bytes to `supply`, or call `failRead`. There is one read at a time. */
  readonly read?: BlockRange;
  readonly outcome?: { readonly kind: 'open' | 'closed' } | FailedSession;
}

export interface SuppliedStep {
  readonly sends: readonly Uint8Array[];
  /** The read wants no more bytes: it has all, or the machine has reset the drive. */
  readonly isOver: boolean;
}

type State = 'login' | 'opening' | 'enabling' | 'open' | 'over';

interface Reading extends DriveCommand {
  bytesLeft: number;
}

export class IderSession {
  readonly #login: SessionLogin;
  readonly #blocks: number;
  readonly #reader = new MessageReader('device', 'ider');
  #state: State = 'login';
  /** Of the next message, of each side. */
  readonly #sequences = { own: 0, device: 0 };
  #bufferBytes = 0;
  #sense: Sense = NO_SENSE;
  #reading: Reading | undefined;
  #hasReset = false;
  #sends: Uint8Array[] = [];
  #read: BlockRange | undefined;

  /** `blocks`: those of the disc, of 2,048 bytes each. Throws a RangeError for a user name of more than 255 bytes. */
  constructor(account: Account, secrets: SessionSecrets, blocks: number) {
    this.#login = new SessionLogin(account, secrets);
    this.#blocks = blocks;
  }

  /** Returns what is sent first. */
  start(): Uint8Array {
    return message.startSession('ider');
  }

  /** Takes bytes of the device. Nothing happens after an outcome other than `open`. */
  take(bytes: Uint8Array): IderStep {
    const messages = this.#reader.take(bytes);
    let outcome: IderStep['outcome'];
    for (const one of messages) {
      if (this.#state === 'over') break;
      outcome = this.#on(one) ?? outcome;
    }
    if (this.#reader.isBroken && this.#state !== 'over') outcome = this.#fail(notAmt());
    const [sends, read] = [this.#takeSends(), this.#read];
    this.#read = undefined;
    return { sends, ...(read === undefined ? {} : { read }), ...(outcome === undefined ? {} : { outcome }) };
  }

  /** Takes the next bytes of the read. More than it wants are left out. */
  supply(bytes: Uint8Array): SuppliedStep {
    const reading = this.#reading;
    if (reading === undefined || this.#endAfterReset()) return { sends: this.#takeSends(), isOver: true };
    const wanted = bytes.subarray(0, reading.bytesLeft);
    for (let from = 0; from < wanted.length; from += this.#bufferBytes) {
      const part = wanted.subarray(from, from + this.#bufferBytes);
      reading.bytesLeft -= part.length;
      this.#sendData(reading, { bytes: part, isLast: reading.bytesLeft === 0 });
    }
    if (reading.bytesLeft === 0) this.#reading = undefined;
    return { sends: this.#takeSends(), isOver: this.#reading === undefined };
  }

  /** Ends the read with an error of the medium. Returns what is sent. */
  failRead(): readonly Uint8Array[] {
    const reading = this.#reading;
    if (reading !== undefined && !this.#endAfterReset()) {
      this.#reading = undefined;
      this.#endCommand(reading, sense.unreadable);
    }
    return this.#takeSends();
  }

  /** Returns what keeps the session, where nothing else is sent. */
  ping(): Uint8Array {
    return iderMessage.ping(this.#next());
  }

  /** Returns the messages that end the session. */
  end(): readonly Uint8Array[] {
    const hasBegun = this.#state === 'open' || this.#state === 'enabling';
    this.#state = 'over';
    return hasBegun ? [iderMessage.end(this.#next()), message.endSession()] : [message.endSession()];
  }

  #on(bytes: Uint8Array): IderStep['outcome'] {
    if (bytes[0] === type.startedSession || bytes[0] === type.authenticated) return this.#onLogin(bytes);
    if (this.#state === 'login') return this.#fail(unexpected(this.#state));
    if (bytes[0] === iderType.opened && bytes[1] !== 0)
      return this.#fail(failed('unsupported', `the drive did not start (status ${bytes[1]})`));
    if (sequenceIn(bytes) !== this.#sequences.device)
      return this.#fail(failed('invalid', 'its messages are out of order'));
    this.#sequences.device = (this.#sequences.device + 1) >>> 0;
    return this.#onNumbered(bytes);
  }

  #onNumbered(bytes: Uint8Array): IderStep['outcome'] {
    switch (bytes[0]) {
      case iderType.opened:
        return this.#onOpened(bytes);
      case iderType.featuresReport:
        return this.#onFeatures(bytes);
      case iderType.ended:
        this.#state = 'over';
        return { kind: 'closed' };
      case iderType.ping:
        this.#sends.push(iderMessage.pong(this.#next()));
        return undefined;
      case iderType.reset:
        this.#onReset();
        return undefined;
      case iderType.command:
        return this.#onCommand(bytes);
      case iderType.dataFromHost:
        this.#endCommand({ device: device.floppy, isDma: false }, sense.writeProtected);
        return undefined;
      case iderType.pong:
      case iderType.heartbeat:
      case iderType.error:
        return undefined;
      default:
        return this.#fail(unexpected(this.#state));
    }
  }

  #onLogin(bytes: Uint8Array): IderStep['outcome'] {
    const result = this.#login.take(bytes);
    switch (result.kind) {
      case 'asked':
        this.#sends.push(result.send);
        return undefined;
      case 'in':
        this.#state = 'opening';
        this.#sends.push(iderMessage.open(this.#next()));
        return undefined;
      case 'failed':
        return this.#fail(result);
    }
  }

  #onOpened(bytes: Uint8Array): IderStep['outcome'] {
    const bufferBytes = bufferBytesIn(bytes);
    if (this.#state !== 'opening') return this.#fail(unexpected(this.#state));
    if (bufferBytes === undefined)
      return this.#fail(failed('invalid', 'its buffer is too small or too large'));
    this.#bufferBytes = bufferBytes;
    this.#state = 'enabling';
    this.#sends.push(iderMessage.enable(this.#next()));
    return undefined;
  }

  #onFeatures(bytes: Uint8Array): IderStep['outcome'] {
    if (this.#state !== 'enabling') return undefined;
    const isEnabled = isEnabledIn(bytes);
    if (isEnabled === false) return this.#fail(failed('unsupported', 'it did not switch the drive on'));
    if (isEnabled === undefined) return undefined;
    this.#state = 'open';
    return { kind: 'open' };
  }

  /** The answer to a reset follows the end of a read, because the device waits for nothing else then. */
  #onReset(): void {
    this.#sense = NO_SENSE;
    this.#hasReset = true;
    if (this.#reading === undefined) this.#endAfterReset();
  }

  /** Returns whether the drive was reset. */
  #endAfterReset(): boolean {
    if (!this.#hasReset) return false;
    this.#hasReset = false;
    this.#reading = undefined;
    this.#sends.push(iderMessage.resetDone(this.#next()));
    return true;
  }

  #onCommand(bytes: Uint8Array): IderStep['outcome'] {
    const command = commandIn(bytes);
    if (command === undefined) return this.#fail(failed('invalid', 'it sent a command that is not a packet'));
    if (command.device !== device.cd) {
      this.#endCommand(command, sense.noMedium);
      return undefined;
    }
    const answer = cdAnswerTo(command.packet, { blocks: this.#blocks, last: this.#sense });
    this.#sense = senseAfter(answer);
    switch (answer.kind) {
      case 'data':
        this.#sendData(command, { bytes: answer.bytes, isLast: true });
        return undefined;
      case 'done':
      case 'refused':
        this.#endCommand(command, this.#sense);
        return undefined;
      case 'read':
        if (this.#reading !== undefined)
          return this.#fail(failed('invalid', 'it reads before its last read has ended'));
        this.#reading = { ...command, bytesLeft: answer.count * BLOCK_BYTES };
        this.#read = { first: answer.first, count: answer.count };
        return undefined;
    }
  }

  #sendData(
    { device: drive, isDma }: Pick<DriveCommand, 'device' | 'isDma'>,
    { bytes, isLast }: { readonly bytes: Uint8Array; readonly isLast: boolean },
  ): void {
    this.#sends.push(iderMessage.dataToHost(this.#next(), { device: drive, isDma, bytes, isLast }));
  }

  #endCommand({ device: drive }: Pick<DriveCommand, 'device' | 'isDma'>, why: Sense): void {
    this.#sends.push(iderMessage.commandEnd(this.#next(), drive, why));
  }

  #fail(failure: FailedSession): FailedSession {
    this.#state = 'over';
    return failure;
  }

  #takeSends(): readonly Uint8Array[] {
    const sends = this.#sends;
    this.#sends = [];
    return sends;
  }

  #next(): number {
    const { own } = this.#sequences;
    this.#sequences.own = (own + 1) >>> 0;
    return own;
  }
}
