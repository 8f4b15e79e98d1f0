import type { ActionResponse } from '@tinkerbell/api/agent';
import type { Progress } from '@tinkerbell/action-kit';
import type { Clock } from '@tinkerbell/platform-contract';

import { runningReport } from './report.ts';
import type { ServerLink } from './server-link.ts';

const INTERVAL_MS = 1000;
const DEADLINE_MS = 5000;

export interface ProgressReporter {
  take(progress: Progress): void;
  /** Resolves when no progress report is in flight, so that none arrives after the final one. */
  settled(): Promise<void>;
}

/** Reports the progress of a running action to the server: at most once a second, and one call at a time. */
export function createProgressReporter(options: {
  readonly client: ServerLink;
  readonly clock: Clock;
  readonly action: ActionResponse;
  readonly attempt: number;
  readonly startedMs: number;
}): ProgressReporter {
  const { client, clock, action, attempt, startedMs } = options;
  let lastMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<unknown> | undefined;
  return {
    take(progress) {
      const nowMs = clock.monotonicMs();
      if (underWay !== undefined || nowMs - lastMs < INTERVAL_MS) return;
      lastMs = nowMs;
      const report = runningReport(action, startedMs, `${action.name}: ${progress.message}`);
      // A failed progress report is not repeated, because the next one replaces it.
      underWay = client.report(report, attempt, clock.nowMs() + DEADLINE_MS).finally(() => {
        underWay = undefined;
      });
    },
    async settled() {
      await underWay;
    },
  };
}
