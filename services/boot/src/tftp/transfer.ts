import type { Clock, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import {
  DATA_HEAD_BYTES,
  encodeTftp,
  startReadTransfer,
  stepReadTransfer,
  tftpError,
  writeDataHeads,
  type ReadTransfer,
  type TftpOptions,
  type TftpPacket,
  type TransferEvent,
  type TransferLimits,
  type TransferOutcome,
  type TransferSend,
  type TransferStep,
} from '@tinkerbell/tftp';
import type { BootFile } from '../boot-files/index.ts';

type Failure<Reason extends string> = {
  readonly kind: 'failed';
  readonly reason: Reason;
  readonly detail: string;
};

export interface TransferReport {
  readonly outcome: TransferOutcome | Failure<'server-stopped' | 'abandoned' | 'file-unreadable'>;
  /** The number of bytes that the client has acknowledged. */
  readonly bytes: number;
  readonly milliseconds: number;
}

interface TransferInput {
  readonly file: BootFile;
  readonly options: TftpOptions;
  readonly peer: UdpAddress;
  readonly limits: TransferLimits;
  readonly clock: Clock;
  readonly socket: Pick<UdpSocket, 'send' | 'sendRun'>;
  /** Called every ten seconds with what the client has acknowledged, while it acknowledges more. */
  onMoved(progress: Omit<TransferReport, 'outcome'> & { readonly fileBytes: number }): void;
  onEnd(report: TransferReport): void;
}

/** A kernel over a slow line takes minutes. Whoever watches must see that it does not stand still. */
const MOVED_EVERY_MS = 10_000;

type DataSend = Extract<TransferSend, { kind: 'data' }>;

/**
 * The buffer for the current window. It is shared, because a send has taken the bytes when it returns. It grows to the largest
 * window used.
 */
let heads = new Uint8Array(64 * DATA_HEAD_BYTES);

/** Runs the transfer machine from its creation: sends its packets, keeps its timer, and reports its end once. */
export class RunningTransfer {
  readonly #input: TransferInput;
  readonly #startedMs: number;
  #transfer: ReadTransfer;
  #cancelTimer = (): void => {};
  /** The time by which the client must have answered, and the time at which the timer checks that. */
  #deadlineMs = 0;
  #timerMs = Number.POSITIVE_INFINITY;
  /** When and how far the last progress was reported. */
  #movedMs: number;
  #movedBytes = 0;
  #isOver = false;
  /** Counts sends. File bytes that arrive late belong to an earlier send and are dropped. */
  #turn = 0;

  constructor(input: TransferInput) {
    const { clock, file, limits, options } = input;
    this.#input = input;
    this.#startedMs = clock.monotonicMs();
    this.#movedMs = this.#startedMs;
    const first = startReadTransfer({ options, fileBytes: file.sizeBytes }, limits);
    this.#transfer = first.transfer;
    this.#perform(first);
  }

  onPacket(packet: TftpPacket): void {
    this.#advance({ kind: 'packet', packet });
  }

  stop(): void {
    if (!this.#isOver)
      this.#end({ kind: 'failed', reason: 'server-stopped', detail: 'the server is stopping' });
  }

  /** The client has started something else. */
  abandon(): void {
    const detail = 'the client requested another file';
    if (!this.#isOver) this.#end({ kind: 'failed', reason: 'abandoned', detail });
  }

  #advance(event: TransferEvent): void {
    if (!this.#isOver) this.#perform(stepReadTransfer(this.#transfer, event));
  }

  #perform({ transfer, sends, timeoutMs, outcome }: TransferStep): void {
    this.#transfer = transfer;
    for (const send of sends) {
      this.#turn += 1;
      if (send.kind === 'data') this.#sendData(send);
      else this.#sendPacket(send);
    }
    if (timeoutMs !== undefined && !this.#isOver) this.#waitFor(timeoutMs);
    if (outcome !== undefined) this.#end(outcome);
  }

  /** An active timer keeps running, and checks when it fires: creating one for each packet costs as much as the packet. */
  #waitFor(timeoutMs: number): void {
    const nowMs = this.#input.clock.monotonicMs();
    if (nowMs - this.#movedMs >= MOVED_EVERY_MS) this.#reportMoved(nowMs);
    this.#deadlineMs = nowMs + timeoutMs;
    if (this.#deadlineMs >= this.#timerMs) return;
    this.#cancelTimer();
    this.#timerMs = this.#deadlineMs;
    this.#cancelTimer = this.#input.clock.schedule(timeoutMs, () => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      const leftMs = this.#deadlineMs - this.#input.clock.monotonicMs();
      if (leftMs > 0) this.#waitFor(leftMs);
      else this.#advance({ kind: 'timeout' });
    });
  }

  #reportMoved(nowMs: number): void {
    const bytes = this.#acknowledgedBytes();
    if (bytes === this.#movedBytes) return;
    this.#movedMs = nowMs;
    this.#movedBytes = bytes;
    const milliseconds = Math.round(nowMs - this.#startedMs);
    this.#input.onMoved({ bytes, milliseconds, fileBytes: this.#transfer.fileBytes });
  }

  #acknowledgedBytes(): number {
    const { acknowledged, settings, fileBytes } = this.#transfer;
    return Math.min(acknowledged * settings.blockSizeBytes, fileBytes);
  }

  #sendPacket(packet: TftpPacket): void {
    this.#input.socket.send(encodeTftp(packet), this.#input.peer);
  }

  #sendData(send: DataSend): void {
    const { file } = this.#input;
    if (file.whole !== undefined) return this.#sendRun(send, file.whole, send.offset);
    const found = file.slice(send.offset, send.length);
    if (found instanceof Uint8Array) return this.#sendRun(send, found, 0);
    const turn = this.#turn;
    found.then(
      (bytes) => {
        if (!this.#isOver && turn === this.#turn) this.#sendRun(send, bytes, 0);
      },
      (error: unknown) => this.#onUnreadable(error),
    );
  }

  /** The bytes of the file are `body` from `offset` on. */
  #sendRun({ block, count, length }: DataSend, body: Uint8Array, offset: number): void {
    if (heads.length < count * DATA_HEAD_BYTES) heads = new Uint8Array(count * DATA_HEAD_BYTES);
    writeDataHeads(heads, { block, count });
    const pieceBytes = this.#transfer.settings.blockSizeBytes;
    const run = { count, heads, headBytes: DATA_HEAD_BYTES, body, offset, length, pieceBytes };
    this.#input.socket.sendRun(run, this.#input.peer);
  }

  #onUnreadable(error: unknown): void {
    if (this.#isOver) return;
    const message = 'the file could not be read';
    this.#sendPacket({ kind: 'error', code: tftpError.notDefined, message });
    this.#end({ kind: 'failed', reason: 'file-unreadable', detail: String(error) });
  }

  #end(outcome: TransferReport['outcome']): void {
    this.#isOver = true;
    this.#cancelTimer();
    const bytes = this.#acknowledgedBytes();
    const milliseconds = Math.round(this.#input.clock.monotonicMs() - this.#startedMs);
    this.#input.onEnd({ outcome, bytes, milliseconds });
  }
}
