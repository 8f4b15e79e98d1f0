/** Decides whether an endpoint is usable, from health checks and from the results of requests. */

export interface HealthThresholds {
  /** Consecutive checks that must pass before an unhealthy endpoint is used again. */
  readonly healthyAfter: number;
  /** Consecutive checks that must fail before an endpoint is used last. */
  readonly unhealthyAfter: number;
}

/** The delay after the first failed request. It doubles with each further consecutive failure. */
const SHUNNED_MS = 2000;
const SHUNNED_MS_MAX = 60_000;

export class EndpointHealth {
  readonly #thresholds: HealthThresholds;
  #isHealthy = true;
  /** Consecutive checks that contradict the current state. */
  #opposed = 0;
  #failures = 0;
  #shunnedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(thresholds: HealthThresholds) {
    this.#thresholds = thresholds;
  }

  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /** Returns whether this changed the state. */
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

  /** A request got no response. */
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
