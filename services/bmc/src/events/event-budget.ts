import type { Clock } from '@tinkerbell/platform-contract';

const INTERVAL_MS = 60_000;
/** A machine with a failing part reports some per minute. A BMC that sends more repeats itself. */
const MACHINE_EVENTS_MAX = 60;
/** For all BMCs together, so that they leave room in the journal. */
const EVENTS_MAX = 1200;

/** Limits the events that are recorded in a minute. */
export class EventBudget {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #startedMs: number;
  #total = 0;
  #byMachine = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Returns whether one more event of the Machine may be recorded now. */
  takes(machine: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#startedMs >= INTERVAL_MS) {
      this.#startedMs = nowMs;
      this.#total = 0;
      this.#byMachine = new Map();
    }
    const own = this.#byMachine.get(machine) ?? 0;
    if (own >= MACHINE_EVENTS_MAX || this.#total >= EVENTS_MAX) return false;
    this.#byMachine.set(machine, own + 1);
    this.#total += 1;
    return true;
  }
}
