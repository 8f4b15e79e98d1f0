/**
 * Renders in separate threads, so that no template delays a packet. The first template starts one thread. Another one starts when
 * a template takes long while others wait. Threads end after 10 s without work, and are terminated when a template exceeds its
 * time or memory. `fair-queue.ts` decides which template is next.
 */
import { availableParallelism } from 'node:os';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Preview, Rendered, RenderOwner, TemplateRenderer } from '@tinkerbell/engine-rendering';
import type { WorkflowDefinition } from '@tinkerbell/template';
import { FairQueue, type Taken, type Urgency } from './fair-queue.ts';
import type { RenderAnswer, RenderRequest } from './render-request.ts';
import { WorkerThread, type Renderer, type ThreadLimits } from './worker-thread.ts';

const TIME_LIMIT_MS = 2000;
const MEMORY_LIMIT_MB = 64;
/** A thread costs 20 MB while it runs and 0.2 s when it starts. Templates come in bursts. */
const IDLE_MS = 10_000;
/** The number of waiting checks, for one author and for all. Each may take 2 s, while an ordinary one takes milliseconds. */
const CHECKS_OF_AUTHOR_MAX = 32;
const CHECKS_MAX = 512;
/** The number of waiting renderings of one author. The controller requests fewer at a time. */
const RENDERINGS_OF_AUTHOR_MAX = 1000;
/**
 * One thread stays available to others when a namespace keeps one busy. Each thread may need its full memory, and packets need
 * processor cores too.
 */
const THREADS_MAX = 2;
/** An ordinary template ends long before this, so a burst of them needs one thread. */
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
    workflow: (input, owner) => pool.ask({ kind: 'workflow', input }, owner, 'rendering'),
    texts: (input, owner) => pool.ask({ kind: 'texts', input }, owner, 'rendering'),
    check: (input, owner) => pool.ask({ kind: 'workflow', input }, owner, 'check'),
    preview: (input, owner) => pool.ask({ kind: 'preview', input }, owner, 'check'),
    close: () => pool.close(),
  };
}

type AllSettings = Required<RenderSettings>;

interface Waiting {
  readonly request: RenderRequest;
  readonly resolve: (answer: Promise<RenderAnswer>) => void;
}

/** The author of callers that do not name one. */
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
  /** The busy threads that have been busy for a while. */
  #slow = 0;

  constructor(clock: Clock, log: Log, settings: AllSettings) {
    this.#clock = clock;
    this.#log = log;
    this.#settings = settings;
    const namespaceAtOnce = Math.max(1, settings.threads - 1);
    this.#queue = new FairQueue({ namespaceAtOnce, authorAtOnce: Math.max(1, namespaceAtOnce - 1) });
  }

  ask(
    request: Extract<RenderRequest, { kind: 'workflow' }>,
    owner: RenderOwner | undefined,
    urgency: Urgency,
  ): Promise<Rendered<WorkflowDefinition>>;
  ask(
    request: Extract<RenderRequest, { kind: 'texts' }>,
    owner: RenderOwner | undefined,
    urgency: Urgency,
  ): Promise<Rendered<readonly string[]>>;
  ask(
    request: Extract<RenderRequest, { kind: 'preview' }>,
    owner: RenderOwner | undefined,
    urgency: Urgency,
  ): Promise<Rendered<Preview>>;
  ask(request: RenderRequest, owner: RenderOwner = NOBODY, urgency: Urgency): Promise<RenderAnswer> {
    const busy = this.#isFull(owner, urgency);
    if (busy !== undefined) return Promise.resolve({ ok: false, message: busy, isBusy: true });
    const { promise, resolve } = Promise.withResolvers<RenderAnswer>();
    this.#queue.add(owner, urgency, { request, resolve });
    if (this.#isSorting) return promise;
    this.#isSorting = true;
    // Requests of the same turn are sorted before the first of them starts.
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

  /** Uses an idle thread, or the first one. Starts a further thread when all busy threads have slow templates. */
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
      if (this.#isClosing) throw new Error('templates are no longer rendered: the server is stopping');
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

  /** Counts a slow rendering until the returned function is called. */
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

  /** Active requests end, and waiting ones are rejected. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // This includes requests that were made in this turn.
    await Promise.resolve();
    // Each thread that ends takes the next request and rejects it.
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
