import type { Clock } from '@tinkerbell/platform-contract';

/** A server that is not under load writes each line at once. */
const LINES_AT_ONCE = 32;
const PERIOD_MS = 1_000;
const TOGETHER_MS = 50;
/** What a pipe holds. */
const WAITING_MAX = 64 * 1024;

/**
 * Writes the lines of a log. The first 32 of a second are written at once, and further ones together every 50 ms, because a write to a
 * pipe takes longer than everything else about a line.
 */
export class LogLines {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly #write: (text: string) => void;
  #waiting = '';
  #periodMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'schedule'>, write: (text: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  /** `line` ends with a line feed. */
  add(line: string): void {
    if (this.#waiting !== '') {
      this.#waiting += line;
      if (this.#waiting.length >= WAITING_MAX) this.flush();
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#periodMs >= PERIOD_MS) {
      this.#periodMs = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= LINES_AT_ONCE) return this.#write(line);
    this.#waiting = line;
    this.#clock.schedule(TOGETHER_MS, () => this.flush());
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#waiting === '') return;
    const text = this.#waiting;
    this.#waiting = '';
    this.#write(text);
  }
}
