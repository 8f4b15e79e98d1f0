/** How many Events may be written, as Kubernetes' EventCorrelator has it for one object, and for all of them together. */
import type { Clock } from '@tinkerbell/platform-contract';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** client-go's defaults: 25 at once, then one in five minutes. */
const OBJECT = { burst: 25, perMs: 1 / 300_000 } as const;
/** Of all objects: some for a hundred, of what an engine that runs thousands of actions a second writes. */
const ALL = { burst: 500, perMs: 50 / 1000 } as const;
const OBJECTS_MAX = 4096;

export class EventLimits {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #all: Bucket;
  /** In order of use; the one used least recently is forgotten first. */
  readonly #byObject = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#all = { tokens: ALL.burst, atMs: clock.monotonicMs() };
  }

  mayWrite(object: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const own = this.#byObject.get(object) ?? { tokens: OBJECT.burst, atMs: nowMs };
    this.#byObject.delete(object);
    this.#byObject.set(object, own);
    const [oldest] = this.#byObject.keys();
    if (this.#byObject.size > OBJECTS_MAX && oldest !== undefined) this.#byObject.delete(oldest);
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
