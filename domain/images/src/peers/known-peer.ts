/** What an agent knows about one other agent. */
import type { ChunkRun } from './chunk-runs.ts';
import type { OfferedPeer } from './messages.ts';

/** A peer that has sent a right chunk is relied on for this long. */
const PROVEN_MS = 3000;
/** Requests to one peer at once. */
const ACTIVE_MAX = 2;

export class KnownPeer {
  readonly address: string;
  readonly port: number;
  /** For each stretch: 1 when the peer offers all of it. */
  #has: Uint8Array;
  #hasAny = false;
  #active = 0;
  #busyUntilMs = Number.NEGATIVE_INFINITY;
  #provenUntilMs = Number.NEGATIVE_INFINITY;
  /** Where to look for the next stretch, so that neighbours are fetched one after the other. */
  #next: number;

  constructor({ address, port }: OfferedPeer, { stretches, next }: { stretches: number; next: number }) {
    this.address = address;
    this.port = port;
    this.#has = new Uint8Array(stretches);
    this.#next = next;
  }

  offer(have: readonly ChunkRun[], starts: Uint32Array): void {
    this.#has = stretchesIn(have, starts);
    this.#hasAny = this.#has.includes(1);
  }

  /** It offers a stretch. */
  get hasAny(): boolean {
    return this.#hasAny;
  }

  /** Returns the next open stretch that it has, and remembers that it is asked. */
  take(isOpen: (index: number) => boolean, nowMs: number): number | undefined {
    if (this.#active >= ACTIVE_MAX || nowMs < this.#busyUntilMs) return undefined;
    const count = this.#has.length;
    for (let step = 0; step < count; step += 1) {
      const index = (this.#next + step) % count;
      if (this.#has[index] !== 1 || !isOpen(index)) continue;
      this.#next = (index + 1) % count;
      this.#active += 1;
      return index;
    }
    return undefined;
  }

  released(): void {
    this.#active -= 1;
  }

  delivered(nowMs: number): void {
    this.#provenUntilMs = nowMs + PROVEN_MS;
  }

  busy(untilMs: number): void {
    this.#busyUntilMs = untilMs;
  }

  /** It has sent a right stretch lately. */
  isProven(nowMs: number): boolean {
    return nowMs < this.#provenUntilMs;
  }

  /** Its offer counts: nobody needs to ask the server for these stretches. */
  vouches(index: number, nowMs: number): boolean {
    return this.isProven(nowMs) && this.#has[index] === 1;
  }
}

function stretchesIn(have: readonly ChunkRun[], starts: Uint32Array): Uint8Array {
  const has = new Uint8Array(starts.length - 1);
  let run = 0;
  for (let index = 0; index < has.length; index += 1) {
    const [start = 0, end = 0] = starts.subarray(index, index + 2);
    while (run < have.length && endOf(have[run]) <= start) run += 1;
    const [first, count] = have[run] ?? [end, 0];
    if (first <= start && end <= first + count) has[index] = 1;
  }
  return has;
}

function endOf(run: ChunkRun | undefined): number {
  return run === undefined ? Number.POSITIVE_INFINITY : run[0] + run[1];
}
