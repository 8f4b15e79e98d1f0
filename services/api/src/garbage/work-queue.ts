/** Runs tasks one by one. A queued task is not added again, and a failed one is retried later. */
import type { Clock, Log } from '@tinkerbell/platform-contract';

const RETRY_MS = 1000;
/** After these attempts, a task waits for the next event. */
const TRIES = 10;

interface Task {
  readonly run: () => Promise<void>;
  readonly tries: number;
}

export class WorkQueue {
  readonly #deps: { readonly clock: Clock; readonly log: Log };
  readonly #tasks = new Map<string, Task>();
  #isRunning = false;

  constructor(deps: { readonly clock: Clock; readonly log: Log }) {
    this.#deps = deps;
  }

  add(name: string, run: Task['run'], tries = 0): void {
    this.#tasks.set(name, { run, tries });
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      const next = this.#tasks.entries().next();
      if (next.done === true) break;
      const [name, task] = next.value;
      this.#tasks.delete(name);
      try {
        await task.run();
      } catch (thrown) {
        this.#failed(name, task, thrown);
      }
    }
    this.#isRunning = false;
  }

  #failed(name: string, { run, tries }: Task, thrown: unknown): void {
    this.#deps.log.debug('garbage collection failed; retrying', { task: name, error: String(thrown) });
    if (tries + 1 >= TRIES) return;
    this.#deps.clock.schedule(RETRY_MS, () => this.add(name, run, tries + 1));
  }
}
