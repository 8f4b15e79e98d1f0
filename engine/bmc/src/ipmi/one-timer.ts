import type { Clock } from '@tinkerbell/platform-contract';

/** A timer that runs at most once at a time. */
export class OneTimer {
  readonly #clock: Clock;
  #cancel = (): void => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(delayMs: number, task: () => void): void {
    this.#cancel();
    this.#cancel = this.#clock.schedule(delayMs, task);
  }

  stop(): void {
    this.#cancel();
  }
}
