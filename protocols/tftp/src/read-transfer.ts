import { defaultTransferLimits, negotiate, type TransferLimits, type TransferSettings } from './negotiate.ts';
import { tftpError, type TftpOptions, type TftpPacket } from './packet.ts';

/**
 * One read transfer as a pure machine. The shell owns socket, file and timer, and performs each step. Blocks
 * are counted from 1 without limit here. Only their low 16 bits are sent, so files beyond 65535 blocks roll
 * over to 0.
 *
 * A duplicate acknowledgement never retransmits (RFC 1123 section 4.2.3.1: otherwise every block after a
 * delayed one is sent twice, the Sorcerer's Apprentice). An acknowledgement inside the window continues right
 * after it (RFC 7440).
 */
export interface ReadTransfer {
  readonly fileBytes: number;
  readonly settings: TransferSettings;
  readonly limits: TransferLimits;
  /** The OACK's options. Empty when none is sent. */
  readonly accepted: TftpOptions;
  readonly phase: 'options' | 'data' | 'over';
  /** The last block that the client acknowledged. */
  readonly acknowledged: number;
  /** The last block that was sent. */
  readonly sent: number;
  /** The client has acknowledged a packet, so its address is not spoofed. */
  readonly isAnswered: boolean;
  /** Timeouts since the last progress. */
  readonly retries: number;
}

export type TransferEvent =
  | { readonly kind: 'packet'; readonly packet: TftpPacket }
  | { readonly kind: 'timeout' };

/**
 * `data` names a slice of the file: `length` bytes from `offset`, sent as `count` blocks, the first of which has the 16-bit
 * number `block`.
 */
export type TransferSend =
  | {
      readonly kind: 'data';
      readonly block: number;
      readonly count: number;
      readonly offset: number;
      readonly length: number;
    }
  | Extract<TftpPacket, { kind: 'error' | 'option-acknowledge' }>;

export type TransferOutcome =
  | { readonly kind: 'completed' }
  | {
      readonly kind: 'failed';
      readonly reason: 'client-aborted' | 'timed-out' | 'option-refused' | 'unexpected-packet';
      /** The client's error message when it aborted. */
      readonly detail: string;
    };

export interface TransferStep {
  readonly transfer: ReadTransfer;
  readonly sends: readonly TransferSend[];
  /** Restart the timer with this value. When absent, the running timer continues. */
  readonly timeoutMs?: number;
  /** Present once: the transfer is complete and its timer must be stopped. */
  readonly outcome?: TransferOutcome;
}

/** Returns the first step: the OACK, or the first window when no option was accepted, or ERROR 8. */
export function startReadTransfer(
  request: { readonly options: TftpOptions; readonly fileBytes: number },
  limits: TransferLimits = defaultTransferLimits,
): TransferStep {
  const { fileBytes } = request;
  const negotiation = negotiate(request.options, fileBytes, limits);
  const settings = negotiation.ok ? negotiation.settings : { blockSizeBytes: 512, windowSize: 1 };
  const accepted = negotiation.ok ? negotiation.accepted : [];
  const transfer: ReadTransfer = {
    fileBytes,
    settings,
    limits,
    accepted,
    phase: accepted.length > 0 ? 'options' : 'data',
    acknowledged: 0,
    sent: 0,
    isAnswered: false,
    retries: 0,
  };
  if (negotiation.ok) return sendFrom(transfer);
  const error = { kind: 'error', code: tftpError.optionRefused, message: negotiation.message } as const;
  return over(transfer, { kind: 'failed', reason: 'option-refused', detail: negotiation.message }, [error]);
}

/** Returns the step that follows an event. After the transfer has ended, there is none: an ERROR is never answered. */
export function stepReadTransfer(transfer: ReadTransfer, event: TransferEvent): TransferStep {
  if (transfer.phase === 'over') return { transfer, sends: [] };
  if (event.kind === 'timeout') return onTimeout(transfer);
  switch (event.packet.kind) {
    case 'acknowledge':
      return onAcknowledge(transfer, event.packet.block);
    case 'error': {
      const detail = `${event.packet.code} ${event.packet.message}`.trim();
      return over(transfer, { kind: 'failed', reason: 'client-aborted', detail }, []);
    }
    case 'read-request':
      // The client repeats its request because the server's first packet is late or lost. The timer handles
      // it.
      return { transfer, sends: [] };
    default: {
      const message = `${event.packet.kind} in a read transfer`;
      const error = { kind: 'error', code: tftpError.illegalOperation, message } as const;
      return over(transfer, { kind: 'failed', reason: 'unexpected-packet', detail: message }, [error]);
    }
  }
}

/** The number of blocks in the file. The last one is shorter than a block, and may be empty. */
export function blockCountOf(transfer: Pick<ReadTransfer, 'fileBytes' | 'settings'>): number {
  return Math.floor(transfer.fileBytes / transfer.settings.blockSizeBytes) + 1;
}

function onTimeout(transfer: ReadTransfer): TransferStep {
  const { retriesMax, unansweredRetriesMax } = transfer.limits;
  const allowed = transfer.isAnswered ? retriesMax : Math.min(retriesMax, unansweredRetriesMax);
  if (transfer.retries >= allowed) {
    const detail = `block ${transfer.acknowledged + 1} of ${blockCountOf(transfer)} was not acknowledged`;
    return over(transfer, { kind: 'failed', reason: 'timed-out', detail }, []);
  }
  return sendFrom({ ...transfer, retries: transfer.retries + 1 });
}

function onAcknowledge(transfer: ReadTransfer, block: number): TransferStep {
  if (transfer.phase === 'options') {
    if (block !== 0) return { transfer, sends: [] };
    return sendFrom({ ...transfer, phase: 'data', isAnswered: true, retries: 0 });
  }
  const progress = (block - transfer.acknowledged) & 0xffff;
  const isOfTheWindow = progress >= 1 && progress <= transfer.sent - transfer.acknowledged;
  if (!isOfTheWindow) return { transfer, sends: [] };
  const acknowledged = transfer.acknowledged + progress;
  return acknowledged === blockCountOf(transfer)
    ? over({ ...transfer, acknowledged, isAnswered: true, retries: 0 }, { kind: 'completed' }, [])
    : sendData(transfer, { acknowledged, retries: 0, isAnswered: true });
}

/** The OACK, or the whole window after the last acknowledged block. */
function sendFrom(transfer: ReadTransfer): TransferStep {
  if (transfer.phase === 'data') return sendData(transfer, transfer);
  const timeoutMs = waitFor(transfer);
  return { transfer, sends: [{ kind: 'option-acknowledge', options: transfer.accepted }], timeoutMs };
}

type Progress = Pick<ReadTransfer, 'acknowledged' | 'retries' | 'isAnswered'>;

/**
 * The fields are written out, because spreading the previous transfer takes several times as long, and this runs for each packet.
 */
function sendData(before: ReadTransfer, { acknowledged, retries, isAnswered }: Progress): TransferStep {
  const { fileBytes, settings, limits, accepted, phase } = before;
  const { blockSizeBytes, windowSize } = settings;
  const sent = Math.min(acknowledged + windowSize, blockCountOf(before));
  const transfer = { fileBytes, settings, limits, accepted, phase, acknowledged, sent, isAnswered, retries };
  const offset = acknowledged * blockSizeBytes;
  const length = Math.min(sent * blockSizeBytes, fileBytes) - offset;
  const block = (acknowledged + 1) & 0xffff;
  const sends = [{ kind: 'data', block, count: sent - acknowledged, offset, length }] as const;
  return { transfer, sends, timeoutMs: waitFor(transfer) };
}

function waitFor({ settings, limits, retries }: ReadTransfer): number {
  // Avoids an exponentiation for each packet, which would take noticeable time.
  const growth = retries === 0 ? 1 : 2 ** retries;
  return settings.fixedTimeoutMs ?? Math.min(limits.timeoutMs * growth, limits.timeoutMsMax);
}

function over(
  transfer: ReadTransfer,
  outcome: TransferOutcome,
  sends: readonly TransferSend[],
): TransferStep {
  return { transfer: { ...transfer, phase: 'over' }, sends, outcome };
}
