/** The serial console over IPMI (SOL). It performs what the machine of `@tinkerbell/ipmi` decides. */
import {
  activateSolRequest,
  deactivateSolRequest,
  decodeActivatedSol,
  payloadType,
  startSolStream,
  stepSolStream,
  unacceptedCount,
  type SolEvent,
  type SolStep,
  type SolStream,
} from '@tinkerbell/ipmi';
import { BmcError } from '../bmc-error.ts';
import { consoleClosed, endOutput, OUTPUT_BYTES_MAX } from '../console-output.ts';
import type { SerialConsole } from '../driver.ts';
import { valueOf } from './invalid-answer.ts';
import type { IpmiConnection } from './ipmi-connection.ts';
import { OneTimer } from './one-timer.ts';

const opening = 'open the serial console';
/** Table 24-2: open elsewhere, disabled, too many, without or only with encryption. */
const openMeanings = {
  0x80: 'busy',
  0x81: 'unsupported',
  0x82: 'busy',
  0x83: 'unsupported',
  0x84: 'unsupported',
} as const;

export async function openSolConsole(connection: IpmiConnection): Promise<SerialConsole> {
  const call = { operation: opening, request: activateSolRequest, meanings: openMeanings };
  const { charactersToBmcMax } = valueOf(decodeActivatedSol(await connection.call(call)), opening);
  return new SolConsole(connection, charactersToBmcMax);
}

interface PendingWrite {
  /** The count of accepted characters at which the write is complete. */
  readonly completeAt: number;
  resolve(): void;
  reject(error: BmcError): void;
}

class SolConsole implements SerialConsole {
  readonly output: ReadableStream<Uint8Array>;
  readonly #connection: IpmiConnection;
  readonly #timer: OneTimer;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #stream: SolStream;
  #writes: PendingWrite[] = [];
  #written = 0;
  #isOver = false;
  #ended: BmcError | undefined;

  constructor(connection: IpmiConnection, charactersMax: number) {
    this.#connection = connection;
    this.#timer = new OneTimer(connection.clock);
    const { timeoutMs } = connection;
    this.#stream = startSolStream({ side: 'client', charactersMax, timeoutMs });
    this.output = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          if (this.#stream.isPaused) this.#on({ kind: 'resume' });
        },
        cancel: () => this[Symbol.asyncDispose](),
      },
      { highWaterMark: OUTPUT_BYTES_MAX, size: (chunk) => chunk.length },
    );
    connection.onPayload = ({ type, bytes }) => {
      if (type === payloadType.sol) this.#on({ kind: 'packet', payload: bytes });
    };
    connection.onLost = (error) => this.#end(error);
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) return Promise.reject(this.#ended ?? consoleClosed());
    if (bytes.length === 0) return Promise.resolve();
    this.#written += bytes.length;
    const completeAt = this.#written;
    return new Promise((resolve, reject) => {
      this.#writes.push({ completeAt, resolve, reject });
      this.#on({ kind: 'write', characters: bytes.slice() });
    });
  }

  sendBreak(): Promise<void> {
    if (this.#isOver) return Promise.reject(this.#ended ?? consoleClosed());
    this.#on({ kind: 'break' });
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    this.#end(undefined);
    // The BMC closes the console with the session, so a failure changes nothing.
    await this.#connection
      .ask({ operation: 'close the serial console', request: deactivateSolRequest })
      .catch(() => undefined);
  }

  #on(event: SolEvent): void {
    if (!this.#isOver) this.#perform(stepSolStream(this.#stream, event));
  }

  #perform(step: SolStep): void {
    this.#stream = step.stream;
    for (const bytes of step.sends) this.#connection.sendPayload({ type: payloadType.sol, bytes });
    if (step.timeoutMs !== undefined) this.#timer.start(step.timeoutMs, () => this.#on({ kind: 'timeout' }));
    const controller = this.#controller;
    if (step.output !== undefined && controller !== undefined) {
      controller.enqueue(step.output);
      const isFull = (controller.desiredSize ?? 1) <= 0;
      if (isFull) this.#on({ kind: 'pause' });
    }
    this.#completeWrites();
    if (step.outcome === 'deactivated') this.#end(undefined);
    if (step.outcome === 'lost')
      this.#end(new BmcError('session-lost', 'the serial console stopped answering'));
  }

  #completeWrites(): void {
    const accepted = this.#written - unacceptedCount(this.#stream);
    for (
      let first = this.#writes[0];
      first !== undefined && first.completeAt <= accepted;
      first = this.#writes[0]
    ) {
      this.#writes.shift();
      first.resolve();
    }
  }

  /** Undefined: the caller or the BMC closed the console. */
  #end(error: BmcError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended = error;
    this.#timer.stop();
    this.#connection.onPayload = () => undefined;
    this.#connection.onLost = () => undefined;
    for (const write of this.#writes.splice(0)) write.reject(error ?? consoleClosed());
    const controller = this.#controller;
    this.#controller = undefined;
    endOutput(controller, error);
  }
}
