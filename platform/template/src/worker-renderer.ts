/**
 * Renders in a thread of its own, so that no template delays a packet. One template at a time; the thread begins with the
 * first template, ends when it was idle for 10 s, and is ended when a template exceeds its time or memory.
 */
import { Worker } from 'node:worker_threads';
import type { Clock, Log, Rendered, TemplateRenderer } from '@tinkerbell/platform-contract';
import type { RenderAnswer, RenderRequest } from './render-request.ts';

const TIME_LIMIT_MS = 2000;
const MEMORY_LIMIT_MB = 256;
/** A thread costs 20 MB while it is there and 0.2 s when it begins; templates come in bursts. */
const IDLE_MS = 10_000;
/** Of those that only want to know. Each may take 2 s, and an ordinary one takes milliseconds. */
const CHECKS_WAITING_MAX = 64;
/** Only a machine that is brought to its knees takes so long to start a thread. */
const START_LIMIT_MS = 60_000;

export interface RenderSettings {
  readonly timeMs?: number;
  readonly memoryMb?: number;
  readonly idleMs?: number;
  readonly checksWaiting?: number;
}

export function createWorkerRenderer(
  clock: Clock,
  log: Log,
  settings: RenderSettings = {},
): TemplateRenderer {
  const pool = new WorkerPool(clock, log, {
    timeMs: settings.timeMs ?? TIME_LIMIT_MS,
    memoryMb: settings.memoryMb ?? MEMORY_LIMIT_MB,
    idleMs: settings.idleMs ?? IDLE_MS,
    checksWaiting: settings.checksWaiting ?? CHECKS_WAITING_MAX,
  });
  return {
    workflow: (input) => pool.ask({ kind: 'workflow', input }) as never,
    texts: (input) => pool.ask({ kind: 'texts', input }) as never,
    check: (input) => pool.askLast({ kind: 'workflow', input }) as never,
    close: () => pool.close(),
  };
}

type AllSettings = Required<RenderSettings>;

interface Waiting {
  readonly request: RenderRequest;
  readonly resolve: (answer: Promise<RenderAnswer>) => void;
}

class WorkerPool {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #settings: AllSettings;
  readonly #first: Waiting[] = [];
  readonly #last: Waiting[] = [];
  #thread: RenderThread | undefined;
  #working: Promise<void> | undefined;
  #cancelIdle = (): void => undefined;
  #isClosing = false;

  constructor(clock: Clock, log: Log, settings: AllSettings) {
    this.#clock = clock;
    this.#log = log;
    this.#settings = settings;
  }

  ask(request: RenderRequest): Promise<RenderAnswer> {
    return this.#enter(this.#first, request);
  }

  /** After all that `ask` was asked, also later. */
  async askLast(request: RenderRequest): Promise<RenderAnswer | 'busy'> {
    if (this.#last.length >= this.#settings.checksWaiting) return 'busy';
    return this.#enter(this.#last, request);
  }

  #enter(waiting: Waiting[], request: RenderRequest): Promise<RenderAnswer> {
    const { promise, resolve } = Promise.withResolvers<RenderAnswer>();
    waiting.push({ request, resolve });
    this.#working ??= this.#work();
    return promise;
  }

  /** One after the other. */
  async #work(): Promise<void> {
    // What is asked in one turn is sorted before the first of it begins.
    await Promise.resolve();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const answer = this.#render(next.request);
      next.resolve(answer);
      await answer.catch(() => undefined);
    }
    this.#working = undefined;
  }

  #next(): Waiting | undefined {
    return this.#first.shift() ?? this.#last.shift();
  }

  async #render(request: RenderRequest): Promise<RenderAnswer> {
    if (this.#isClosing) throw new Error('templates are no longer rendered: the server stops');
    this.#cancelIdle();
    if (this.#thread?.isOver() !== false) this.#thread = new RenderThread(this.#clock, this.#settings);
    const answer = await this.#thread.render(request);
    if (!answer.ok && answer.isStopped === true)
      this.#log.warn('template stopped', { template: request.input.templateName, reason: answer.message });
    this.#cancelIdle = this.#clock.schedule(this.#settings.idleMs, () => void this.#endThread());
    return answer;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }

  /** What is under way ends; what waits is rejected. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#working;
    this.#cancelIdle();
    await this.#endThread();
  }
}

class RenderThread {
  readonly #clock: Clock;
  readonly #settings: AllSettings;
  readonly #worker: Worker;
  readonly #ready: Promise<unknown>;
  #isOver = false;

  constructor(clock: Clock, settings: AllSettings) {
    this.#clock = clock;
    this.#settings = settings;
    this.#worker = new Worker(new URL('render-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb, maxYoungGenerationSizeMb: 8 },
      // The server's own flags (a heap limit, an inspector) are not for this thread.
      execArgv: [],
    });
    // Also while nothing is asked: without a listener an error would end the server.
    const markOver = (): void => void (this.#isOver = true);
    this.#worker.on('error', markOver).on('exit', markOver);
    // A thread that idles keeps no process alive.
    this.#worker.unref();
    this.#ready = this.#reply(START_LIMIT_MS);
  }

  isOver(): boolean {
    return this.#isOver;
  }

  /** Rejects when the thread cannot work at all. */
  async render(request: RenderRequest): Promise<RenderAnswer> {
    const started = await this.#ready;
    if (started !== 'ready') throw new Error(`the thread that renders did not start: ${wordsOf(started)}`);
    const reply = this.#reply(this.#settings.timeMs);
    this.#worker.postMessage(request, []);
    const answer = await reply;
    if (answer === 'late')
      return this.#stopped(`template took longer than ${this.#settings.timeMs / 1000} s`);
    if (!(answer instanceof Error)) return answer as RenderAnswer;
    if ((answer as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return this.#stopped(`template took more than ${this.#settings.memoryMb} MB of memory`);
    throw new Error(`the thread that renders ended: ${wordsOf(answer)}`, { cause: answer });
  }

  #stopped(message: string): Rendered<never> {
    return { ok: false, message, isStopped: true };
  }

  /** The next message, an error, or `late`; after both of the latter the thread is over. */
  async #reply(limitMs: number): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
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
  return reply instanceof Error ? reply.message : String(reply);
}
