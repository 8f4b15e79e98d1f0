import type { Clock, HttpPeer, StreamProgress } from '@tinkerbell/platform-contract';

/** The progress of a client with a file. Sent at the start, about once a second, and at the end. */
export interface TransferProgress {
  readonly kind: 'started' | 'moved' | 'completed' | 'broken-off';
  /** The same for all reports of one transfer. */
  readonly id: number;
  readonly peer: HttpPeer;
  /** Below the root, such as `debian/disk.img.zst`. */
  readonly path: string;
  /** The first requested byte. Above 0 when a client resumes. */
  readonly offset: number;
  readonly sentBytes: number;
  readonly totalBytes: number;
  readonly milliseconds: number;
  readonly bytesPerSecond: number;
}

export type OnTransfer = (progress: TransferProgress) => void;

const REPORT_INTERVAL_MS = 1_000;

type TransferDescription = Pick<TransferProgress, 'id' | 'peer' | 'path' | 'offset' | 'totalBytes'>;

/** Reports a file that is sent at once. */
export function reportWhole(
  transfer: TransferDescription,
  { onTransfer }: { readonly onTransfer: OnTransfer },
): void {
  const at = { milliseconds: 0, bytesPerSecond: 0 };
  onTransfer({ ...transfer, ...at, kind: 'started', sentBytes: 0 });
  onTransfer({ ...transfer, ...at, kind: 'completed', sentBytes: transfer.totalBytes });
}

/** Reports the progress of a file's reader, from now on. */
export function transferProgress(
  transfer: TransferDescription,
  { clock, onTransfer }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly onTransfer: OnTransfer },
): StreamProgress {
  const startedMs = clock.monotonicMs();
  let reportedMs = startedMs;
  let sentBytes = 0;
  const report = (kind: TransferProgress['kind'], nowMs: number) => {
    const milliseconds = Math.round(nowMs - startedMs);
    const bytesPerSecond = milliseconds === 0 ? 0 : Math.round((sentBytes * 1_000) / milliseconds);
    onTransfer({ ...transfer, kind, sentBytes, milliseconds, bytesPerSecond });
  };
  report('started', startedMs);
  return {
    moved(bytes) {
      sentBytes += bytes;
      const nowMs = clock.monotonicMs();
      if (nowMs - reportedMs < REPORT_INTERVAL_MS) return;
      reportedMs = nowMs;
      report('moved', nowMs);
    },
    ended: () => report(sentBytes === transfer.totalBytes ? 'completed' : 'broken-off', clock.monotonicMs()),
  };
}
