import type { ActionContext } from './action.ts';
import { formatBytes } from './format-bytes.ts';

export interface ProgressMeter {
  add(bytes: number): void;
  setTotal(bytes: number): void;
}

/** Reports bytes, total and rate, at most once per interval. */
export function progressMeter(
  intervalMs: number,
  context: Pick<ActionContext, 'clock' | 'progress'>,
): ProgressMeter {
  let done = 0;
  let total: number | undefined;
  let lastMs = context.clock.monotonicMs();
  let lastDone = 0;
  return {
    setTotal(bytes) {
      total = bytes;
    },
    add(bytes) {
      done += bytes;
      const nowMs = context.clock.monotonicMs();
      if (nowMs - lastMs < intervalMs) return;
      const bytesPerSecond = Math.round(((done - lastDone) * 1000) / (nowMs - lastMs));
      lastMs = nowMs;
      lastDone = done;
      const of = total === undefined ? '' : ` of ${formatBytes(total)}`;
      context.progress({
        message: `${formatBytes(done)}${of}, ${formatBytes(bytesPerSecond)}/s`,
        doneBytes: done,
        ...(total === undefined ? {} : { totalBytes: total }),
        bytesPerSecond,
      });
    },
  };
}
