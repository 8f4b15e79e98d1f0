/** Measures how long an agent that has ended an action waits for its next one: the engine's overhead for every action. */
import { setLatest, type Clock } from '@tinkerbell/platform-contract';
import type { HistogramChild } from '@tinkerbell/platform-metrics';
import type { WorkflowsMetrics } from './metrics.ts';

/** A report without a next action is forgotten when this many others have arrived since. */
const REPORTS_KEPT = 20_000;

export class HandoverTimes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #endedMs = new Map<string, number>();
  readonly #seconds: HistogramChild;

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    { nextActionSeconds }: Pick<WorkflowsMetrics, 'nextActionSeconds'>,
  ) {
    this.#clock = clock;
    this.#seconds = nextActionSeconds.with();
  }

  /** The agent has reported that an action has succeeded. `arrivedMs`: when, on the monotonic clock. */
  reported(agentId: string, arrivedMs: number): void {
    setLatest(this.#endedMs, [agentId, arrivedMs], REPORTS_KEPT);
  }

  /** The agent has got an action. */
  served(agentId: string): void {
    const endedMs = this.#endedMs.get(agentId);
    if (endedMs === undefined) return;
    this.#endedMs.delete(agentId);
    this.#seconds.observe((this.#clock.monotonicMs() - endedMs) / 1000);
  }

  /** The agent's workflow has ended. Its next action belongs to another workflow. */
  forget(agentId: string): void {
    this.#endedMs.delete(agentId);
  }
}
