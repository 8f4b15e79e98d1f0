/**
 * Limits the memory of responses that clients do not read, for all connections together, because each alone
 * may fill its buffers.
 */
import { repeat, type Clock } from '@tinkerbell/platform-contract';

/** A hundred downloads at full speed hold a fifth of it. */
const BYTES_MAX = 72 * 1024 * 1024;
/** Full buffers of 1,000 streams take longer to fill from another machine. */
const SWEEP_MS = 250;
/** What is read from an upstream at once, and waits for a client, while little of the limit is used. */
const PART_BYTES_MAX = 64 * 1024;
/** The same when much of it is used: 5,000 clients that read nothing then hold less than the limit. */
const PART_BYTES_MIN = 2 * 1024;
/** The shares of the limit between which the part becomes smaller. */
const PRESSURE = { from: 1 / 64, to: 1 / 4 } as const;

export interface HeldBody {
  /** Returns the bytes in the buffers of both sides. */
  bytes(): number;
  /** Differs when the client has read something since the last call. */
  taken(): number;
  cut(): void;
}

export class HeldBodies {
  readonly #bytesMax: number;
  /** How much the client had read, and for how many sweeps that has not changed. */
  readonly #bodies = new Map<HeldBody, { taken: number; still: number }>();
  #partBytes = PART_BYTES_MAX;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  start(clock: Clock, signal: AbortSignal): void {
    repeat(clock, { everyMs: SWEEP_MS, signal }, () => this.sweep());
  }

  /** The returned function removes the response. */
  add(body: HeldBody): () => void {
    this.#bodies.set(body, { taken: body.taken(), still: 0 });
    return () => this.#bodies.delete(body);
  }

  /** Returns the bytes held by all responses. */
  bytes(): number {
    return this.#bodies.keys().reduce((sum, body) => sum + body.bytes(), 0);
  }

  /** Returns how much a response may read from its upstream at once: less, the more all responses hold. */
  readonly partBytes = (): number => this.#partBytes;

  /** Returns how much may wait for a client before its upstream is read no further. */
  waitingBytesMax(): number {
    // Under pressure, nothing: the kernel's buffers keep the client busy.
    return this.#partBytes === PART_BYTES_MAX ? PART_BYTES_MAX : 0;
  }

  /** Cuts off those that have not progressed for the longest time, the largest first, until the rest is within the limit. */
  sweep(): void {
    let bytes = 0;
    for (const [body, seen] of this.#bodies) {
      const taken = body.taken();
      seen.still = taken === seen.taken ? seen.still + 1 : 0;
      seen.taken = taken;
      bytes += body.bytes();
    }
    this.#partBytes = partBytesAt(bytes / this.#bytesMax);
    if (bytes <= this.#bytesMax) return;
    const slowest = [...this.#bodies]
      .map(([body, { still }]) => ({ body, still, bytes: body.bytes() }))
      .filter((one) => one.bytes > 0)
      .toSorted((a, b) => b.still - a.still || b.bytes - a.bytes);
    for (const one of slowest) {
      if (bytes <= this.#bytesMax) return;
      this.#bodies.delete(one.body);
      bytes -= one.bytes;
      one.body.cut();
    }
  }
}

/** `share` is the used share of the limit. */
function partBytesAt(share: number): number {
  const left = (PRESSURE.to - share) / (PRESSURE.to - PRESSURE.from);
  return Math.round(Math.min(PART_BYTES_MAX, Math.max(PART_BYTES_MIN, left * PART_BYTES_MAX)));
}
