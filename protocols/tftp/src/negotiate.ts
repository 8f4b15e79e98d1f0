import type { TftpOptions } from './packet.ts';

/** The server's limits. The client can only request less. */
export interface TransferLimits {
  /** The largest block sent, 512 to 65464. Above the MTU less 32 (1468 on Ethernet) it causes IP fragments, which ROMs drop. */
  readonly blockSizeBytesMax: number;
  /** The maximum number of blocks sent ahead of an acknowledgement (RFC 7440). */
  readonly windowSizeMax: number;
  /** The first wait for an acknowledgement. It doubles with each retry up to `timeoutMsMax`. */
  readonly timeoutMs: number;
  readonly timeoutMsMax: number;
  /** The number of consecutive timeouts before the transfer is aborted. */
  readonly retriesMax: number;
  /**
   * The same, until the client has acknowledged something. A request can carry a spoofed address. With 2, the
   * owner of that address gets one packet three times. That is at most 3 x 516 bytes (a first block, because
   * there is no window without an answer) for a request of 20, or 3 times about the size of the request (the
   * option acknowledgement).
   */
  readonly unansweredRetriesMax: number;
}

export const defaultTransferLimits: TransferLimits = {
  blockSizeBytesMax: 1468,
  windowSizeMax: 16,
  timeoutMs: 1_000,
  timeoutMsMax: 10_000,
  retriesMax: 5,
  unansweredRetriesMax: 2,
};

export interface TransferSettings {
  readonly blockSizeBytes: number;
  readonly windowSize: number;
  /** Set when the client requested a fixed timeout (RFC 2349), which then replaces the growing one. */
  readonly fixedTimeoutMs?: number;
}

export type Negotiation =
  | {
      readonly ok: true;
      readonly settings: TransferSettings;
      /** The options of the OACK. When it is empty, no OACK is sent. */
      readonly accepted: TftpOptions;
    }
  | { readonly ok: false; readonly message: string };

const BLOCK_SIZE_DEFAULT = 512;

/**
 * Negotiates the options of a read request: blksize (RFC 2348), timeout and tsize (RFC 2349), windowsize (RFC 7440). Unknown
 * options, and known ones whose value is not a number in range, are omitted from the answer, as RFC 2347 allows. A repeated
 * option is refused.
 */
export function negotiate(asked: TftpOptions, fileBytes: number, limits: TransferLimits): Negotiation {
  const names = asked.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { ok: false, message: `option ${twice} is duplicated` };

  const numberOf = (name: string, range: { readonly min: number; readonly max: number }) =>
    decimal(asked.find(([each]) => each === name)?.[1], range);
  const blockSize = atMost(numberOf('blksize', { min: 8, max: 65_464 }), limits.blockSizeBytesMax);
  const windowSize = atMost(numberOf('windowsize', { min: 1, max: 65_535 }), limits.windowSizeMax);
  const timeoutSeconds = numberOf('timeout', { min: 1, max: 255 });
  const isSizeAsked = numberOf('tsize', { min: 0, max: Number.MAX_SAFE_INTEGER }) !== undefined;
  // curl (seen in 7.88) regards a size of 0 as an error and aborts. The server may omit an option.
  const transferSize = isSizeAsked && fileBytes > 0 ? fileBytes : undefined;
  const answers: Readonly<Record<string, number | undefined>> = {
    blksize: blockSize,
    windowsize: windowSize,
    timeout: timeoutSeconds,
    tsize: transferSize,
  };
  const accepted = names.flatMap((name) => {
    const value = Object.hasOwn(answers, name) ? answers[name] : undefined;
    return value === undefined ? [] : [[name, `${value}`] as const];
  });
  const settings = { blockSizeBytes: blockSize ?? BLOCK_SIZE_DEFAULT, windowSize: windowSize ?? 1 };
  const fixedTimeout = timeoutSeconds === undefined ? {} : { fixedTimeoutMs: timeoutSeconds * 1_000 };
  return { ok: true, settings: { ...settings, ...fixedTimeout }, accepted };
}

/** Accepts ASCII digits only: `Number` would accept signs, hexadecimal, spaces and the empty text. */
function decimal(
  text: string | undefined,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  if (text === undefined || !/^[0-9]{1,15}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= range.min && value <= range.max ? value : undefined;
}

function atMost(asked: number | undefined, limit: number): number | undefined {
  return asked === undefined ? undefined : Math.min(asked, limit);
}
