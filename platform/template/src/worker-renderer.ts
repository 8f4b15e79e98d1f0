/**
 * Renders in threads of its own, so that no template delays a packet. One thread begins with the first template; another one
 * when a template takes long and somebody else waits. Threads end when they were idle for 10 s, and are ended when a template
 * exceeds its time or memory. Who comes next is decided in `fair-queue.ts`.
 */
import { availableParallelism } from 'node:os';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { RenderOwner, TemplateRenderer } from '@tinkerbell/engine-rendering';
import { FairQueue, type Taken, type Urgency } from './fair-queue.ts';
import type { RenderAnswer, RenderRequest } from './render-request.ts';
import { WorkerThread, type Renderer, type ThreadLimits } from './worker-thread.ts';

const TIME_LIMIT_MS = 2000;
const MEMORY_LIMIT_MB = 64;
/** A thread costs 20 MB while it is there and 0.2 s when it begins; templates come in bursts. */
const IDLE_MS = 10_000;
/** Of those that only want to know, for one author and for all. Each may take 2 s, and an ordinary one takes milliseconds. */
const CHECKS_OF_AUTHOR_MAX = 32;
const CHECKS_MAX = 512;
/** Of an author; the controller asks for fewer at a time. */
const RENDERINGS_OF_AUTHOR_MAX = 1000;
/** One is left to others when a namespace keeps one busy. Each may need its memory, and the cores of the processor are there for packets too. */
const THREADS_MAX = 2;
/** An ordinary template has ended long before, so that bursts of them need one thread. */
const GROW_AFTER_MS = 100;

export interface RenderSettings {
  readonly timeMs?: number;
  readonly memoryMb?: number;
  readonly idleMs?: number;
  readonly checksOfAuthor?: number;
  readonly renderingsOfAuthor?: number;
  readonly threads?: number;
  /** For tests. */
  readonly newThread?: (clock: Clock, limits: ThreadLimits) => Renderer;
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
    checksOfAuthor: settings.checksOfAuthor ?? CHECKS_OF_AUTHOR_MAX,
    renderingsOfAuthor: settings.renderingsOfAuthor ?? RENDERINGS_OF_AUTHOR_MAX,
    threads: settings.threads ?? Math.min(THREADS_MAX, availableParallelism()),
    newThread: settings.newThread ?? ((of, limits) => new WorkerThread(of, limits)),
  });
  return {
    workflow: (input, owner) => pool.ask({ kind: 'workflow', input }, owner, 'rendering') as never,
    texts: (input, owner) => pool.ask({ kind: 'texts', input }, owner, 'rendering') as never,
    check: (input, owner) => pool.ask({ kind: 'workflow', input }, owner, 'check') as never,
    close: () => pool.close(),
  };
}

type AllSettings = Required<RenderSettings>;

interface Waiting {
  readonly request: RenderRequest;
  readonly resolve: (answer: Promise<RenderAnswer>) => void;
}

/** Of callers that do not name one. */
const NOBODY: RenderOwner = { namespace: '', author: '' };

class WorkerPool {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #settings: AllSettings;
  readonly #queue: FairQueue<Waiting>;
  readonly #idle = new Map<Renderer, () => void>();
  readonly #busy = new Set<Promise<void>>();
  #isClosing = false;
  #isSorting = false;
  /** Of the busy ones, those that have been so for a while. */
  #slow = 0;

  constructor(clock: Clock, log: Log, settings: AllSettings) {
    this.#clock = clock;
    this.#log = log;
    this.#settings = settings;
    const namespaceAtOnce = Math.max(1, settings.threads - 1);
    this.#queue = new FairQueue({ namespaceAtOnce, authorAtOnce: Math.max(1, namespaceAtOnce - 1) });
  }

  ask(request: RenderRequest, owner: RenderOwner = NOBODY, urgency: Urgency): Promise<RenderAnswer> {
    const busy = this.#isFull(owner, urgency);
    if (busy !== undefined) return Promise.resolve({ ok: false, message: busy, isBusy: true });
    const { promise, resolve } = Promise.withResolvers<RenderAnswer>();
    this.#queue.add(owner, urgency, { request, resolve });
    if (this.#isSorting) return promise;
    this.#isSorting = true;
    // What is asked in one turn is sorted before the first of it begins.
    void Promise.resolve().then(() => {
      this.#isSorting = false;
      this.#begin();
    });
    return promise;
  }

  #isFull(owner: RenderOwner, urgency: Urgency): string | undefined {
    const { checksOfAuthor, renderingsOfAuthor } = this.#settings;
    const max = urgency === 'check' ? checksOfAuthor : renderingsOfAuthor;
    const whose = `of ${owner.author} in namespace ${owner.namespace}`;
    if (this.#queue.waiting(owner, urgency) >= max) return `${max} templates ${whose} wait to be rendered`;
    if (urgency === 'check' && this.#queue.count('check') >= CHECKS_MAX)
      return `${CHECKS_MAX} templates wait to be rendered`;
    return undefined;
  }

  /** On a thread that is idle, or on the first; on a further one when all that are busy are so with slow templates. */
  #begin(): void {
    while (this.#idle.size > 0 || (this.#slow === this.#busy.size && this.#slow < this.#settings.threads)) {
      const taken = this.#queue.take();
      if (taken === undefined) return;
      this.#run(taken);
    }
  }

  #run(taken: Taken<Waiting>): void {
    const working = this.#render(taken).then(() => {
      this.#busy.delete(working);
      this.#begin();
    });
    this.#busy.add(working);
  }

  /** Never rejects. */
  async #render(taken: Taken<Waiting>): Promise<void> {
    const { request, resolve } = taken.item;
    let startedMs = this.#clock.monotonicMs();
    let end = (): void => undefined;
    try {
      if (this.#isClosing) throw new Error('templates are no longer rendered: the server stops');
      const thread = this.#thread();
      await thread.started();
      startedMs = this.#clock.monotonicMs();
      end = this.#beginsSlow();
      const answer = await thread.render(request);
      if (!answer.ok && answer.isStopped === true)
        this.#log.warn('template stopped', { template: request.input.templateName, reason: answer.message });
      if (!thread.isOver()) this.#rest(thread);
      resolve(Promise.resolve(answer));
    } catch (thrown) {
      resolve(Promise.reject(thrown));
    }
    end();
    taken.done(this.#clock.monotonicMs() - startedMs);
  }

  /** Counts a rendering that takes long, until the function that is returned is called. */
  #beginsSlow(): () => void {
    let isSlow = false;
    const cancel = this.#clock.schedule(GROW_AFTER_MS, () => {
      isSlow = true;
      this.#slow += 1;
      this.#begin();
    });
    return () => {
      cancel();
      if (isSlow) this.#slow -= 1;
    };
  }

  #thread(): Renderer {
    for (const [thread, cancel] of this.#idle) {
      cancel();
      this.#idle.delete(thread);
      if (!thread.isOver()) return thread;
    }
    return this.#settings.newThread(this.#clock, this.#settings);
  }

  #rest(thread: Renderer): void {
    const cancel = this.#clock.schedule(this.#settings.idleMs, () => {
      this.#idle.delete(thread);
      void thread.end();
    });
    this.#idle.set(thread, cancel);
  }

  /** What is under way ends; what waits is rejected. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // Also what was asked for in this turn.
    await Promise.resolve();
    // Each that ends takes the next one, to reject it.
    while (this.#busy.size > 0) await Promise.all(this.#busy);
    const threads = [...this.#idle];
    this.#idle.clear();
    await Promise.all(
      threads.map(([thread, cancel]) => {
        cancel();
        return thread.end();
      }),
    );
  }
}
