/** How long an agent that has ended an action waits for its next one: what the engine adds to every action. */
import { Histogram, type Clock } from '@tinkerbell/platform-contract';

/** A report whose next action never comes is forgotten when so many others have come since. */
const REPORTS_KEPT = 20_000;
/** From what one write to memory takes to what a machine notices. */
const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

export class HandoverTimes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #endedMs = new Map<string, number>();
  readonly #seconds = new Histogram(BOUNDS_SECONDS);

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** The agent has reported that an action has succeeded. */
  reported(agentId: string): void {
    if (this.#endedMs.size >= REPORTS_KEPT)
      for (const oldest of this.#endedMs.keys()) {
        this.#endedMs.delete(oldest);
        break;
      }
    this.#endedMs.set(agentId, this.#clock.monotonicMs());
  }

  /** The agent is given an action. */
  served(agentId: string): void {
    const endedMs = this.#endedMs.get(agentId);
    if (endedMs === undefined) return;
    this.#endedMs.delete(agentId);
    this.#seconds.observe((this.#clock.monotonicMs() - endedMs) / 1000);
  }

  /** The agent's workflow has ended: its next action is another's. */
  forget(agentId: string): void {
    this.#endedMs.delete(agentId);
  }

  /** By metric name with labels. */
  counters(): Readonly<Record<string, number>> {
    return this.#seconds.samples('tink_server_next_action_seconds');
  }
}
