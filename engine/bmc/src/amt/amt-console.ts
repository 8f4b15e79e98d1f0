/** The serial console of Intel AMT. It performs what the session of `@tinkerbell/amt-redirection` decides. */
import { HEARTBEAT_MS, SolSession, type SolStep } from '@tinkerbell/amt-redirection';
import type { Clock, EndpointStream } from '@tinkerbell/platform-contract';
import { BmcError } from '../bmc-error.ts';
import { consoleClosed, endOutput, OUTPUT_BYTES_MAX } from '../console-output.ts';
import type { SerialConsole } from '../driver.ts';
import { bmcErrorOf } from '../http/bmc-request.ts';
import type { AmtTarget } from './amt-client.ts';
import type { AmtDeps } from './amt-deps.ts';
import { openRedirectionStream, sessionError, sessionWith } from './redirection-stream.ts';

/** A device that has missed this many heartbeats is gone. */
const HEARTBEATS_MISSED = 4;

export async function openAmtConsole(
  deps: Pick<AmtDeps, 'clock' | 'openStream' | 'random' | 'hash'>,
  given: AmtTarget,
): Promise<SerialConsole> {
  const { credentials, timeoutMs } = given.target;
  const session = sessionWith(deps, (secrets) => new SolSession(credentials, secrets));
  const stream = await openRedirectionStream(deps, given);
  const console = new AmtConsole(stream, session, deps.clock);
  await console.open(timeoutMs);
  return console;
}

class AmtConsole implements SerialConsole {
  readonly output: ReadableStream<Uint8Array>;
  readonly #stream: EndpointStream;
  readonly #session: SolSession;
  readonly #clock: Clock;
  readonly #opened = Promise.withResolvers<void>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #room = Promise.withResolvers<void>();
  #cancelTimer = (): void => undefined;
  #isOver = false;

  constructor(stream: EndpointStream, session: SolSession, clock: Clock) {
    this.#stream = stream;
    this.#session = session;
    this.#clock = clock;
    // `open` waits for it, and reports its failure.
    this.#opened.promise.catch(() => undefined);
    this.output = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#room.resolve(),
        cancel: () => this[Symbol.asyncDispose](),
      },
      { highWaterMark: OUTPUT_BYTES_MAX, size: (chunk) => chunk.length },
    );
  }

  /** Rejects with a BmcError, and has closed the connection then. */
  async open(timeoutMs: number): Promise<void> {
    this.#wait(timeoutMs);
    void this.#read();
    try {
      await this.#send([this.#session.start()]);
      await this.#opened.promise;
    } catch (thrown) {
      const error = bmcErrorOf(thrown);
      await this.#end(error);
      throw error;
    }
    this.#wait(HEARTBEAT_MS * HEARTBEATS_MISSED);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) throw consoleClosed();
    await this.#send(this.#session.write(bytes));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    const last = this.#session.end();
    // The device closes the console with the connection, so a failure changes nothing.
    await this.#send(last).catch(() => undefined);
    await this.#end(undefined);
  }

  async #read(): Promise<void> {
    try {
      for await (const bytes of this.#stream.input) {
        await this.#perform(this.#session.take(bytes));
        if (this.#isOver) return;
      }
      await this.#end(new BmcError('session-lost', 'the device has closed the connection'));
    } catch (thrown) {
      await this.#end(bmcErrorOf(thrown));
    }
  }

  async #perform({ sends, output, outcome }: SolStep): Promise<void> {
    await this.#send(sends);
    if (outcome?.kind === 'open') this.#opened.resolve();
    else this.#wait(HEARTBEAT_MS * HEARTBEATS_MISSED);
    for (const bytes of output) this.#controller?.enqueue(bytes);
    if (outcome?.kind === 'failed') throw sessionError(outcome);
    if (outcome?.kind === 'closed') return await this.#end(undefined);
    if ((this.#controller?.desiredSize ?? 1) > 0) return;
    this.#room = Promise.withResolvers();
    await this.#room.promise;
  }

  async #send(messages: readonly Uint8Array[]): Promise<void> {
    try {
      for (const one of messages) await this.#stream.write(one);
    } catch (thrown) {
      throw bmcErrorOf(thrown);
    }
  }

  /** The device must say something within this time. */
  #wait(ms: number): void {
    this.#cancelTimer();
    if (this.#isOver) return;
    const late = (): void =>
      void this.#end(new BmcError('timed-out', `the device said nothing for ${ms} ms`));
    this.#cancelTimer = this.#clock.schedule(ms, late);
  }

  /** Undefined: the caller or the device closed the console. */
  async #end(error: BmcError | undefined): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#opened.reject(error ?? consoleClosed());
    this.#room.resolve();
    const controller = this.#controller;
    this.#controller = undefined;
    endOutput(controller, error);
    await this.#stream[Symbol.asyncDispose]();
  }
}
