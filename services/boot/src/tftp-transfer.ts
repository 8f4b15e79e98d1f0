import type { Clock, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import {
  dataPacketsLength,
  dataPacketStride,
  encodeTftp,
  startReadTransfer,
  stepReadTransfer,
  tftpError,
  writeDataPackets,
  type TftpOptions,
  type TftpPacket,
  type TransferLimits,
  type TransferOutcome,
  type TransferSend,
  type TransferStep,
} from '@tinkerbell/tftp';
import type { BootFile } from './boot-files/index.ts';

type Failure<Reason extends string> = {
  readonly kind: 'failed';
  readonly reason: Reason;
  readonly detail: string;
};

export interface TransferReport {
  readonly outcome: TransferOutcome | Failure<'server-stopped'> | Failure<'file-unreadable'>;
  /** Bytes the client has acknowledged. */
  readonly bytes: number;
  readonly milliseconds: number;
}

export interface RunningTransfer {
  onPacket(packet: TftpPacket): void;
  stop(): void;
}

interface TransferInput {
  readonly file: BootFile;
  readonly options: TftpOptions;
  readonly peer: UdpAddress;
  readonly limits: TransferLimits;
  readonly clock: Clock;
  readonly socket: Pick<UdpSocket, 'send' | 'sendSegments'>;
  /** Memory for a window that is about to be sent; shared, as a send has taken its bytes when it returns. */
  readonly buffer: PacketBuffer;
  onEnd(report: TransferReport): void;
}

/** Grows to the largest window there was. */
export class PacketBuffer {
  #bytes = new Uint8Array(0);

  take(length: number): Uint8Array {
    if (this.#bytes.length < length) this.#bytes = new Uint8Array(length);
    return this.#bytes.subarray(0, length);
  }
}

/** Runs the transfer machine: sends what it says, keeps its timer, reports its end once. */
export function runTransfer(input: TransferInput): RunningTransfer {
  const { clock, file, limits, options, peer, socket, buffer } = input;
  const startedMs = clock.monotonicMs();
  let cancelTimer = () => {};
  let isOver = false;
  /** Counts steps that send: bytes of a file that come late are for an earlier one and dropped. */
  let turn = 0;
  let { transfer } = perform(startReadTransfer({ options, fileBytes: file.sizeBytes }, limits));

  function perform(step: TransferStep): TransferStep {
    for (const send of step.sends) {
      turn += 1;
      if (send.kind === 'data') sendData(send, step.transfer.settings.blockSizeBytes);
      else socket.send(encodeTftp(send), peer);
    }
    if (step.timeoutMs !== undefined) {
      cancelTimer();
      cancelTimer = clock.schedule(step.timeoutMs, () => advance({ kind: 'timeout' }));
    }
    if (step.outcome !== undefined) end(step.outcome, step);
    return step;
  }

  function sendData(send: Extract<TransferSend, { kind: 'data' }>, blockSizeBytes: number): void {
    const found = file.slice(send.offset, send.length);
    if (found instanceof Uint8Array) return sendRun(send, blockSizeBytes, found);
    const asked = turn;
    found.then((bytes) => {
      if (!isOver && asked === turn) sendRun(send, blockSizeBytes, bytes);
    }, onUnreadable);
  }

  function sendRun(
    { block, count, length }: Extract<TransferSend, { kind: 'data' }>,
    blockSizeBytes: number,
    bytes: Uint8Array,
  ): void {
    const run = { block, count, blockSizeBytes };
    const packets = buffer.take(dataPacketsLength(run, length));
    writeDataPackets(packets, run, bytes);
    socket.sendSegments(packets, dataPacketStride(run), peer);
  }

  function onUnreadable(error: unknown): void {
    if (isOver) return;
    const message = 'the file could not be read';
    socket.send(encodeTftp({ kind: 'error', code: tftpError.notDefined, message }), peer);
    end({ kind: 'failed', reason: 'file-unreadable', detail: String(error) }, { transfer });
  }

  function advance(event: Parameters<typeof stepReadTransfer>[1]): void {
    if (!isOver) ({ transfer } = perform(stepReadTransfer(transfer, event)));
  }

  function end(outcome: TransferReport['outcome'], step: Pick<TransferStep, 'transfer'>): void {
    isOver = true;
    cancelTimer();
    const { acknowledged, settings, fileBytes } = step.transfer;
    const bytes = Math.min(acknowledged * settings.blockSizeBytes, fileBytes);
    input.onEnd({ outcome, bytes, milliseconds: Math.round(clock.monotonicMs() - startedMs) });
  }

  return {
    onPacket: (packet) => advance({ kind: 'packet', packet }),
    stop() {
      if (!isOver)
        end({ kind: 'failed', reason: 'server-stopped', detail: 'the server stops' }, { transfer });
    },
  };
}
