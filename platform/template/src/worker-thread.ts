/** A thread that renders one template at a time, within limits of time and memory. */
import { Worker } from 'node:worker_threads';
import { messageOf, codeOf, type Clock } from '@tinkerbell/platform-contract';
import type { Rendered } from '@tinkerbell/engine-rendering';
import type { RenderAnswer, RenderRequest } from './render-request.ts';

/** Only a severely overloaded machine takes this long to start a thread. */
const START_LIMIT_MS = 60_000;

export interface ThreadLimits {
  readonly timeMs: number;
  readonly memoryMb: number;
}

/** The operations of a thread that the pool needs. */
export interface Renderer {
  /** The thread can no longer render and must be replaced. */
  isOver(): boolean;
  /** Resolves when the thread has started. Rejects when it cannot start. */
  started(): Promise<void>;
  /** Rejects when the thread cannot work at all. */
  render(request: RenderRequest): Promise<RenderAnswer>;
  end(): Promise<void>;
}

export class WorkerThread implements Renderer {
  readonly #clock: Clock;
  readonly #limits: ThreadLimits;
  readonly #worker: Worker;
  readonly #ready: Promise<unknown>;
  #isOver = false;

  constructor(clock: Clock, limits: ThreadLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#worker = new Worker(new URL('render-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 8 },
      // The server's own flags (a heap limit, an inspector) do not apply to this thread.
      execArgv: [],
    });
    // This listener stays while no request is active. Without it an error would end the server.
    const markOver = (): void => void (this.#isOver = true);
    this.#worker.on('error', markOver).on('exit', markOver);
    // An idle thread does not keep the process alive.
    this.#worker.unref();
    this.#ready = this.#reply(START_LIMIT_MS);
  }

  isOver(): boolean {
    return this.#isOver;
  }

  async started(): Promise<void> {
    const started = await this.#ready;
    if (started !== 'ready') throw new Error(`the thread that renders did not start: ${wordsOf(started)}`);
  }

  async render(request: RenderRequest): Promise<RenderAnswer> {
    await this.started();
    const reply = this.#reply<RenderAnswer>(this.#limits.timeMs);
    this.#worker.postMessage(request, []);
    const answer = await reply;
    if (answer === 'late') return this.#stopped(`template took longer than ${this.#limits.timeMs / 1000} s`);
    if (!(answer instanceof Error)) return answer;
    if (codeOf(answer) === 'ERR_WORKER_OUT_OF_MEMORY')
      return this.#stopped(`template took more than ${this.#limits.memoryMb} MB of memory`);
    throw new Error(`the thread that renders ended: ${wordsOf(answer)}`, { cause: answer });
  }

  #stopped(message: string): Rendered<never> {
    return { ok: false, message, isStopped: true };
  }

  /** Returns the next message, an error, or `late`. After an error or `late` the thread has ended. */
  async #reply<Message>(limitMs: number): Promise<Message | Error | 'late'> {
    const { promise, resolve } = Promise.withResolvers<Message | Error | 'late'>();
    const exited = (): void => resolve(new Error('exited'));
    this.#worker.once('message', resolve).once('error', resolve).once('exit', exited);
    const cancel = this.#clock.schedule(limitMs, () => resolve('late'));
    const reply = await promise;
    cancel();
    this.#worker.off('message', resolve).off('error', resolve).off('exit', exited);
    if (reply === 'late') await this.end();
    return reply;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }
}

function wordsOf(reply: unknown): string {
  return messageOf(reply);
}
