import { threadTimeMs } from './thread-time.ts';

/** Of one clock, ms. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A piece of work, which follows another one and precedes the next. */
export interface BusyTime extends Stretch {
  readonly type: string;
  /** Processor time without the garbage collections in it, ms. */
  readonly usedMs: number;
  readonly collections: readonly Stretch[];
}

/** Collections become known after the work in which they happened. */
const EVALUATED_AFTER_MS = 500;
/** Shorter pieces are not kept: there are many, and they exceed nothing. */
const KEPT_FROM_MS = 2;
const TAKEN_MAX = 10;

export class BusyTimes {
  #pieces: BusyTime[] = [];
  #collections: Stretch[] = [];
  #startMs = threadTimeMs();
  #fromMs = performance.now();
  #type = '';

  collected(collection: Stretch): void {
    this.#collections.push(collection);
  }

  /** Ends the piece that runs, and begins one of this type. */
  next(type: string): void {
    const [timeMs, nowMs] = [threadTimeMs(), performance.now()];
    const stretch = { fromMs: this.#fromMs, toMs: nowMs };
    const piece = { ...stretch, type: this.#type, usedMs: timeMs - this.#startMs, collections: [] };
    if (piece.usedMs >= KEPT_FROM_MS) this.#pieces.push(piece);
    [this.#startMs, this.#fromMs, this.#type] = [timeMs, nowMs, type];
  }

  /** Forgets the piece that runs. */
  restart(): void {
    [this.#startMs, this.#fromMs] = [threadTimeMs(), performance.now()];
  }

  /** Returns the longest pieces since the last call, the longest first, except the latest ones, which the next call evaluates. */
  takeLongest(): readonly BusyTime[] {
    const untilMs = performance.now() - EVALUATED_AFTER_MS;
    const evaluated = this.#pieces.filter(({ toMs }) => toMs < untilMs);
    this.#pieces = this.#pieces.slice(evaluated.length);
    const worked = evaluated.map((piece) => this.#withoutCollections(piece));
    const oldestMs = this.#pieces[0]?.fromMs ?? untilMs;
    this.#collections = this.#collections.filter(({ toMs }) => toMs >= oldestMs);
    return worked.toSorted((one, other) => other.usedMs - one.usedMs).slice(0, TAKEN_MAX);
  }

  #withoutCollections(piece: BusyTime): BusyTime {
    const collections = this.#collections.filter(
      ({ fromMs }) => fromMs >= piece.fromMs && fromMs < piece.toMs,
    );
    const collectedMs = collections.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    return { ...piece, usedMs: piece.usedMs - collectedMs, collections };
  }
}
