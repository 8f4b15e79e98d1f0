import { threadTimeMs } from './thread-time.ts';

/** The longest of consecutive pieces of work, in processor time, without the garbage collections in them. */
export interface BusyTime {
  readonly type: string;
  readonly usedMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Collections become known after the work in which they happened. */
const EVALUATED_AFTER_MS = 500;
/** Shorter pieces are not kept: there are many, and they exceed nothing. */
const KEPT_FROM_MS = 2;

export class BusyTimes {
  readonly #pieces: BusyTime[] = [];
  #collections: { readonly atMs: number; readonly durationMs: number }[] = [];
  #startMs = threadTimeMs();
  #fromMs = performance.now();
  #type = '';

  collected(atMs: number, durationMs: number): void {
    this.#collections.push({ atMs, durationMs });
  }

  /** Ends the piece that runs, and begins one of this type. */
  next(type: string): void {
    const [timeMs, nowMs] = [threadTimeMs(), performance.now()];
    const piece = { type: this.#type, usedMs: timeMs - this.#startMs, fromMs: this.#fromMs, toMs: nowMs };
    if (piece.usedMs >= KEPT_FROM_MS) this.#pieces.push(piece);
    [this.#startMs, this.#fromMs, this.#type] = [timeMs, nowMs, type];
  }

  /** Forgets the piece that runs. */
  restart(): void {
    [this.#startMs, this.#fromMs] = [threadTimeMs(), performance.now()];
  }

  /** Returns the longest piece since the last call, except the latest ones, which the next call evaluates. */
  takeLongest(): BusyTime {
    const untilMs = performance.now() - EVALUATED_AFTER_MS;
    let longest: BusyTime = { type: '', usedMs: 0, fromMs: 0, toMs: 0 };
    while ((this.#pieces[0]?.toMs ?? Infinity) < untilMs) {
      const piece = this.#pieces.shift();
      if (piece === undefined) break;
      const usedMs = piece.usedMs - this.#collectedIn(piece);
      if (usedMs > longest.usedMs) longest = { ...piece, usedMs };
    }
    const oldestMs = this.#pieces[0]?.fromMs ?? untilMs;
    this.#collections = this.#collections.filter(({ atMs, durationMs }) => atMs + durationMs >= oldestMs);
    return longest;
  }

  #collectedIn({ fromMs, toMs }: BusyTime): number {
    const inside = this.#collections.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    return inside.reduce((sum, { durationMs }) => sum + durationMs, 0);
  }
}
