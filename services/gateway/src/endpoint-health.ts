/** Whether an endpoint is worth asking: by what checks found, and by what happened to requests. */

export interface HealthThresholds {
  /** Checks in a row that must pass before a sick endpoint is asked again. */
  readonly healthyAfter: number;
  /** Checks in a row that must fail before an endpoint is asked last. */
  readonly unhealthyAfter: number;
}

/** After the first failure of a request; twice as long after each further one in a row. */
const SHUNNED_MS = 2000;
const SHUNNED_MS_MAX = 60_000;

export class EndpointHealth {
  readonly #thresholds: HealthThresholds;
  #isHealthy = true;
  /** Checks in a row that say otherwise. */
  #opposed = 0;
  #failures = 0;
  #shunnedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(thresholds: HealthThresholds) {
    this.#thresholds = thresholds;
  }

  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /** Returns whether this changed what we think. */
  checked(hasPassed: boolean): boolean {
    if (hasPassed === this.#isHealthy) {
      this.#opposed = 0;
      return false;
    }
    this.#opposed += 1;
    const { healthyAfter, unhealthyAfter } = this.#thresholds;
    if (this.#opposed < (hasPassed ? healthyAfter : unhealthyAfter)) return false;
    this.#isHealthy = hasPassed;
    this.#opposed = 0;
    return true;
  }

  /** A request did not get an answer. */
  failed(nowMs: number): void {
    this.#shunnedUntilMs = nowMs + Math.min(SHUNNED_MS * 2 ** this.#failures, SHUNNED_MS_MAX);
    this.#failures += 1;
  }

  answered(): void {
    this.#failures = 0;
    this.#shunnedUntilMs = Number.NEGATIVE_INFINITY;
  }

  isWorthAsking(nowMs: number): boolean {
    return this.#isHealthy && this.#shunnedUntilMs <= nowMs;
  }
}
