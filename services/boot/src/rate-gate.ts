import type { Clock } from '@tinkerbell/platform-contract';

interface RateLimits {
  readonly intervalMs: number;
  /** The number of keys in one interval. */
  readonly keysMax: number;
  /** This many keys may pass together. The others are spaced evenly, at `keysMax` per interval. Absent: all may pass together. */
  readonly atOnce?: number;
}

/**
 * Lets each key through once per interval. It keeps the journal readable in a network full of foreign or forged machines: beyond
 * `keysMax` keys in one interval no further key passes.
 */
export class RateGate {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limits: Required<RateLimits>;
  readonly #apartMs: number;
  readonly #keys = new Set<string>();
  #startedMs: number;
  /** The time when `atOnce` keys may pass together again, unless some pass before. */
  #restedMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: RateLimits) {
    this.#clock = clock;
    this.#limits = { atOnce: Number.POSITIVE_INFINITY, ...limits };
    this.#apartMs = limits.intervalMs / limits.keysMax;
    this.#startedMs = this.#restedMs = clock.monotonicMs();
  }

  /** True if no key passes now. Under load this refuses most, and making their keys costs more. */
  isShut(): boolean {
    const { intervalMs, keysMax, atOnce } = this.#limits;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#startedMs >= intervalMs) {
      this.#keys.clear();
      this.#startedMs = nowMs;
    }
    if (this.#keys.size >= keysMax) return true;
    this.#restedMs = Math.max(this.#restedMs, nowMs);
    return this.#restedMs - nowMs > (atOnce - 1) * this.#apartMs;
  }

  passes(key: string): boolean {
    if (this.isShut() || this.#keys.has(key)) return false;
    this.#restedMs += this.#apartMs;
    this.#keys.add(key);
    return true;
  }
}
