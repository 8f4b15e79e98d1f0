/** Limits the recorded lines of one machine. What comes last before silence is recorded in any case, because it explains a stop. */

/** A verbose boot of Linux and its services prints 2,000 lines. */
const LINES_MAX = 4000;
const LINES_PER_HOUR = 4000;
const LAST_LINES = 30;
const HOUR_MS = 3_600_000;

export class LineBudget {
  #left = LINES_MAX;
  #atMs: number;
  #dropped = 0;
  readonly #last: string[] = [];

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** Returns the lines to record now. */
  take(lines: readonly string[], nowMs: number): readonly string[] {
    this.#left = Math.min(LINES_MAX, this.#left + ((nowMs - this.#atMs) / HOUR_MS) * LINES_PER_HOUR);
    this.#atMs = nowMs;
    const recorded = lines.slice(0, Math.floor(this.#left));
    this.#left -= recorded.length;
    for (const line of lines.slice(recorded.length)) this.#keep(line);
    return recorded;
  }

  /** Call it when the machine is silent. Returns the last lines that were not recorded, after a note about the others. */
  takeLast(): readonly string[] {
    const last = this.#last.splice(0);
    const missing = this.#dropped;
    this.#dropped = 0;
    return missing === 0 ? last : [`[${missing} lines are not recorded]`, ...last];
  }

  #keep(line: string): void {
    this.#last.push(line);
    if (this.#last.length <= LAST_LINES) return;
    this.#last.shift();
    this.#dropped += 1;
  }
}
