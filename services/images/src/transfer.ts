import type { Clock, HttpPeer } from '@tinkerbell/platform-contract';

/** How far a client has come with a file. Sent at the start, about once a second, and at the end. */
export interface TransferProgress {
  readonly kind: 'started' | 'moved' | 'completed' | 'broken-off';
  /** The same for all reports of one transfer. */
  readonly id: number;
  readonly peer: HttpPeer;
  /** Below the root, such as `debian/disk.img.zst`. */
  readonly path: string;
  /** First byte asked for; above 0 when a client resumes. */
  readonly offset: number;
  readonly sentBytes: number;
  readonly totalBytes: number;
  readonly milliseconds: number;
  readonly bytesPerSecond: number;
}

export type OnTransfer = (progress: TransferProgress) => void;

const REPORT_INTERVAL_MS = 1_000;

type TransferDescription = Pick<TransferProgress, 'id' | 'peer' | 'path' | 'offset' | 'totalBytes'>;

/** Passes a file's bytes on unchanged and reports how far the reader has come. */
export function reportedStream(
  source: ReadableStream<Uint8Array>,
  transfer: TransferDescription,
  { clock, onTransfer }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly onTransfer: OnTransfer },
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const startedMs = clock.monotonicMs();
  let reportedMs = startedMs;
  let sentBytes = 0;
  const report = (kind: TransferProgress['kind']) => {
    const milliseconds = Math.round(clock.monotonicMs() - startedMs);
    const bytesPerSecond = milliseconds === 0 ? 0 : Math.round((sentBytes * 1_000) / milliseconds);
    onTransfer({ ...transfer, kind, sentBytes, milliseconds, bytesPerSecond });
  };
  report('started');
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          report('broken-off');
          throw error;
        });
        if (done) {
          report(sentBytes === transfer.totalBytes ? 'completed' : 'broken-off');
          return controller.close();
        }
        controller.enqueue(value);
        sentBytes += value.length;
        if (clock.monotonicMs() - reportedMs >= REPORT_INTERVAL_MS) {
          reportedMs = clock.monotonicMs();
          report('moved');
        }
      },
      async cancel(reason) {
        report('broken-off');
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
