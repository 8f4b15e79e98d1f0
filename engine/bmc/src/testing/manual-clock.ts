import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@tinkerbell/platform-contract';

interface Task {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that moves only when a test lets it. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #tasks: Task[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const task = { atMs: this.#nowMs + delayMs, run };
    this.#tasks.push(task);
    return () => {
      this.#tasks = this.#tasks.filter((one) => one !== task);
    };
  }

  /** Moves to the next task and runs it. Returns false when there is none. */
  runNext(): boolean {
    const [next] = this.#tasks.toSorted((one, other) => one.atMs - other.atMs);
    if (next === undefined) return false;
    this.#tasks = this.#tasks.filter((one) => one !== next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.run();
    return true;
  }

  /** Lets time pass until the promise settles. Time moves only when nothing else is left to do. */
  async until<Value>(promise: PromiseLike<Value>): Promise<Value> {
    let isSettled = false;
    const settled = Promise.resolve(promise).finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    for (let step = 0; step < 10_000; step++) {
      await idle();
      if (isSettled) return settled;
      this.runNext();
    }
    throw new Error('the promise does not settle');
  }
}

/** Resolves when what is under way in memory has ended. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await setImmediate();
}
