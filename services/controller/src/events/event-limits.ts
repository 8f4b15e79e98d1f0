/** Rate limits of Events, per object like Kubernetes' EventCorrelator, and in total. */
import { setLatest, type Clock } from '@tinkerbell/platform-contract';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** client-go's defaults: a burst of 25, then one per five minutes. */
const OBJECT = { burst: 25, perMs: 1 / 300_000 } as const;
/**
 * Limit for all objects together. Enough for a hundred objects, and far below the thousands of actions per second of a busy
 * engine.
 */
const ALL = { burst: 500, perMs: 50 / 1000 } as const;
const OBJECTS_MAX = 4096;

export class EventLimits {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #all: Bucket;
  /** In order of use. The least recently used entry is dropped first. */
  readonly #byObject = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#all = { tokens: ALL.burst, atMs: clock.monotonicMs() };
  }

  mayWrite(object: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const own = this.#byObject.get(object) ?? { tokens: OBJECT.burst, atMs: nowMs };
    setLatest(this.#byObject, [object, own], OBJECTS_MAX);
    return take(own, OBJECT, nowMs) && take(this.#all, ALL, nowMs);
  }
}

function take(bucket: Bucket, { burst, perMs }: typeof OBJECT | typeof ALL, nowMs: number): boolean {
  bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) * perMs);
  bucket.atMs = nowMs;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}
