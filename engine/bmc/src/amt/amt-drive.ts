/** A CD drive of a machine with Intel AMT, with a disc of this process. It performs what the session of `@tinkerbell/amt-redirection` decides. */
import {
  BLOCK_BYTES,
  BLOCKS_MAX,
  IDER_SILENCE_MAX_MS,
  IderSession,
  type BlockRange,
  type IderStep,
} from '@tinkerbell/amt-redirection';
import type { Clock, EndpointStream } from '@tinkerbell/platform-contract';
import { BmcError } from '../bmc-error.ts';
import type { RemoteDisc } from '../disc/remote-disc.ts';
import { bmcErrorOf } from '../http/bmc-request.ts';
import type { AmtTarget } from './amt-client.ts';
import type { AmtDeps } from './amt-deps.ts';
import { openRedirectionStream, sessionError, sessionWith } from './redirection-stream.ts';

/** Several in the time after which a silent session ends. */
const PING_EVERY_MS = IDER_SILENCE_MAX_MS / 3;
/** A device that has answered no ping in this time is gone. */
const SILENCE_MAX_MS = 2 * IDER_SILENCE_MAX_MS;

type Disc = Pick<RemoteDisc, 'sizeBytes' | 'read'>;

/** Rejects with a BmcError. */
export async function openAmtDrive(
  deps: Pick<AmtDeps, 'clock' | 'openStream' | 'random' | 'hash'>,
  given: AmtTarget,
  disc: Disc,
): Promise<AmtDrive> {
  const { credentials, timeoutMs } = given.target;
  const blocks = Math.ceil(disc.sizeBytes / BLOCK_BYTES);
  if (blocks === 0 || blocks > BLOCKS_MAX)
    throw new BmcError('rejected', `an image of ${disc.sizeBytes} bytes is not a disc`);
  const session = sessionWith(deps, (secrets) => new IderSession(credentials, secrets, blocks));
  const stream = await openRedirectionStream(deps, given);
  const drive = new AmtDrive({ stream, session, disc, clock: deps.clock });
  await drive.open(timeoutMs);
  return drive;
}

interface Parts {
  readonly stream: EndpointStream;
  readonly session: IderSession;
  readonly disc: Disc;
  readonly clock: Clock;
}

export class AmtDrive implements AsyncDisposable {
  /** Resolves when the session has ended: with the cause, or undefined if this process or the device has ended it. */
  readonly ended: Promise<BmcError | undefined>;
  readonly #parts: Parts;
  readonly #opened = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<BmcError | undefined>();
  #cancelSilence = (): void => undefined;
  #cancelPing = (): void => undefined;
  #isOpen = false;
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.ended = this.#over.promise;
    // `open` waits for it, and reports its failure.
    this.#opened.promise.catch(() => undefined);
  }

  /** Rejects with a BmcError, and has closed the connection then. */
  async open(timeoutMs: number): Promise<void> {
    this.#expectWithin(timeoutMs);
    void this.#receive();
    try {
      await this.#send([this.#parts.session.start()]);
      await this.#opened.promise;
    } catch (thrown) {
      const error = bmcErrorOf(thrown);
      await this.#end(error);
      throw error;
    }
    this.#isOpen = true;
    this.#expectWithin(SILENCE_MAX_MS);
    this.#pingLater();
  }

  /** Ejects the disc. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    const last = this.#parts.session.end();
    // The device ends the session with the connection, so a failure changes nothing.
    await this.#send(last).catch(() => undefined);
    await this.#end(undefined);
  }

  async #receive(): Promise<void> {
    try {
      for await (const bytes of this.#parts.stream.input) {
        await this.#perform(this.#parts.session.take(bytes));
        if (this.#isOver) return;
      }
      await this.#end(new BmcError('session-lost', 'the device has closed the connection'));
    } catch (thrown) {
      await this.#end(bmcErrorOf(thrown));
    }
  }

  async #perform({ sends, read, outcome }: IderStep): Promise<void> {
    await this.#send(sends);
    if (read !== undefined) void this.#serve(read);
    if (outcome?.kind === 'open') this.#opened.resolve();
    else if (outcome?.kind === 'failed') throw sessionError(outcome);
    else if (outcome?.kind === 'closed') await this.#end(undefined);
    else if (this.#isOpen) this.#expectWithin(SILENCE_MAX_MS);
  }

  /** Beside the receiver, so that a reset ends it. */
  async #serve({ first, count }: BlockRange): Promise<void> {
    const { session } = this.#parts;
    try {
      await this.#copy(first * BLOCK_BYTES, count * BLOCK_BYTES);
    } catch (thrown) {
      if (this.#isOver) return;
      if (!(thrown instanceof BmcError)) throw thrown;
      // The receiver reports a broken connection.
      await this.#send(session.failRead()).catch(() => undefined);
    }
  }

  async #copy(start: number, length: number): Promise<void> {
    const { session, disc } = this.#parts;
    for await (const bytes of disc.read(start, length)) {
      if (this.#isOver) return;
      const { sends, isOver } = session.supply(bytes);
      await this.#send(sends);
      if (isOver) return;
    }
  }

  /** In one write, because the numbers of messages must not be out of order. */
  async #send(messages: readonly Uint8Array[]): Promise<void> {
    if (messages.length === 0) return;
    try {
      await this.#parts.stream.write(joined(messages));
    } catch (thrown) {
      throw bmcErrorOf(thrown);
    }
  }

  #pingLater(): void {
    this.#cancelPing();
    if (this.#isOver) return;
    this.#cancelPing = this.#parts.clock.schedule(PING_EVERY_MS, () => {
      this.#send([this.#parts.session.ping()]).catch(() => undefined);
      this.#pingLater();
    });
  }

  /** The device must say something within this time. */
  #expectWithin(ms: number): void {
    this.#cancelSilence();
    if (this.#isOver) return;
    const late = (): void =>
      void this.#end(new BmcError('timed-out', `the device said nothing for ${ms} ms`));
    this.#cancelSilence = this.#parts.clock.schedule(ms, late);
  }

  async #end(error: BmcError | undefined): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelSilence();
    this.#cancelPing();
    this.#opened.reject(error ?? new BmcError('session-lost', 'the device has ended the session'));
    this.#over.resolve(error);
    await this.#parts.stream[Symbol.asyncDispose]();
  }
}

function joined(messages: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(messages.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of messages) {
    whole.set(one, at);
    at += one.length;
  }
  return whole;
}
