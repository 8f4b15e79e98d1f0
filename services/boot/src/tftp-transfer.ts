import type { Clock, UdpAddress } from '@tinkerbell/platform-contract';
import {
  encodeTftp,
  startReadTransfer,
  stepReadTransfer,
  type TftpOptions,
  type TftpPacket,
  type TransferLimits,
  type TransferOutcome,
  type TransferStep,
} from '@tinkerbell/tftp';

export interface TransferReport {
  readonly outcome:
    | TransferOutcome
    | { readonly kind: 'failed'; readonly reason: 'server-stopped'; readonly detail: string };
  /** Bytes the client has acknowledged. */
  readonly bytes: number;
  readonly milliseconds: number;
}

export interface RunningTransfer {
  onPacket(packet: TftpPacket): void;
  stop(): void;
}

interface TransferInput {
  readonly file: Uint8Array;
  readonly options: TftpOptions;
  readonly peer: UdpAddress;
  readonly limits: TransferLimits;
  readonly clock: Clock;
  send(bytes: Uint8Array, to: UdpAddress): void;
  onEnd(report: TransferReport): void;
}

/** Runs the transfer machine: sends what it says, keeps its timer, reports its end once. */
export function runTransfer(input: TransferInput): RunningTransfer {
  const { clock, file, limits, options } = input;
  const startedMs = clock.monotonicMs();
  let cancelTimer = () => {};
  let isOver = false;
  let { transfer } = perform(startReadTransfer({ options, fileBytes: file.length }, limits));

  function perform(step: TransferStep): TransferStep {
    for (const send of step.sends) {
      const packet: TftpPacket =
        send.kind === 'data'
          ? { kind: 'data', block: send.block, bytes: file.subarray(send.offset, send.offset + send.length) }
          : send;
      input.send(encodeTftp(packet), input.peer);
    }
    if (step.timeoutMs !== undefined) {
      cancelTimer();
      cancelTimer = clock.schedule(step.timeoutMs, () => advance({ kind: 'timeout' }));
    }
    if (step.outcome !== undefined) end(step.outcome, step);
    return step;
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
