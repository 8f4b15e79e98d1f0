/** Limits by source address. Both remember a bounded number of addresses. */
import { setLatest } from '@tinkerbell/platform-contract';

const ADDRESSES_MAX = 50_000;

/** Token buckets: `average` a second, `burst` at once. */
export class RateLimit {
  readonly #average: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor({ average, burst }: { readonly average: number; readonly burst: number }) {
    this.#average = average;
    this.#burst = burst;
  }

  /**
   * Returns undefined when the request may pass. Otherwise it returns the seconds until it may, at least 1.
   */
  take(address: string, nowMs: number): number | undefined {
    const known = this.#buckets.get(address);
    const gained = known === undefined ? this.#burst : ((nowMs - known.atMs) / 1000) * this.#average;
    const tokens = Math.min(this.#burst, (known?.tokens ?? 0) + Math.max(0, gained));
    const isEnough = tokens >= 1;
    const bucket = { tokens: isEnough ? tokens - 1 : tokens, atMs: nowMs };
    // The address that was not seen for longest has the fullest bucket, so little is lost.
    setLatest(this.#buckets, [address, bucket], ADDRESSES_MAX);
    return isEnough ? undefined : Math.max(1, Math.ceil((1 - tokens) / this.#average));
  }
}

/** Counts active requests per address. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #underWay = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  enter(address: string): boolean {
    const count = this.#underWay.get(address) ?? 0;
    if (count >= this.#max) return false;
    this.#underWay.set(address, count + 1);
    return true;
  }

  leave(address: string): void {
    const count = this.#underWay.get(address) ?? 0;
    if (count <= 1) this.#underWay.delete(address);
    else this.#underWay.set(address, count - 1);
  }
}
