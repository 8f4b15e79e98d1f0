/**
 * Reads YAML, templates and custom resources in a separate thread, so that no text delays a packet. It reads one text at a time. The first text
 * starts the thread. The thread ends after 10 s without work and after a text that left it large. It is terminated when a text takes
 * too much time or memory.
 */
import { Worker } from 'node:worker_threads';
import type {
  Clock,
  DefinitionRead,
  ObjectRead,
  TemplateRead,
  TextReader,
  UnreadText,
  YamlRead,
} from '@tinkerbell/platform-contract';
import type { TextAnswer, TextReply, TextRequest } from './text-thread.ts';

/** The longest text within the request budget takes a second on an idle machine. */
const TIME_LIMIT_MS = 5000;
/** The largest texts of a request take 60 MB while they are read. */
const MEMORY_LIMIT_MB = 160;
/** A thread costs 10 MB while it runs and 0.1 s when it starts. */
const IDLE_MS = 10_000;
/** The heap of a thread that has read texts of usual size stays below. */
const KEPT_HEAP_MB = 40;
/** Waiting texts of 2 MiB hold 30 MB. Kubernetes clients send JSON, so few wait. */
const WAITING_MAX = 16;

export interface TextThreadSettings {
  readonly timeMs?: number;
  readonly memoryMb?: number;
  readonly idleMs?: number;
  readonly waiting?: number;
}

export function createWorkerTexts(clock: Clock, settings: TextThreadSettings = {}): TextReader {
  const worker = new TextWorker(clock, {
    timeMs: settings.timeMs ?? TIME_LIMIT_MS,
    memoryMb: settings.memoryMb ?? MEMORY_LIMIT_MB,
    idleMs: settings.idleMs ?? IDLE_MS,
    waiting: settings.waiting ?? WAITING_MAX,
  });
  return {
    yaml: (text, limits) => worker.ask({ kind: 'yaml', text, limits }),
    template: (text) => worker.ask({ kind: 'template', text }),
    object: (texts) => worker.ask({ kind: 'object', ...texts }),
    definition: (text) => worker.ask({ kind: 'definition', text }),
    close: () => worker.close(),
  };
}

function unread(reason: UnreadText['reason'], message: string): UnreadText {
  return { ok: false, reason, message };
}

class TextWorker {
  readonly #clock: Clock;
  readonly #settings: Required<TextThreadSettings>;
  #worker: Worker | undefined;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  #cancelIdle = (): void => undefined;
  #isClosing = false;

  constructor(clock: Clock, settings: Required<TextThreadSettings>) {
    this.#clock = clock;
    this.#settings = settings;
  }

  ask(request: Extract<TextRequest, { kind: 'yaml' }>): Promise<YamlRead>;
  ask(request: Extract<TextRequest, { kind: 'template' }>): Promise<TemplateRead>;
  ask(request: Extract<TextRequest, { kind: 'object' }>): Promise<ObjectRead>;
  ask(request: Extract<TextRequest, { kind: 'definition' }>): Promise<DefinitionRead>;
  async ask(request: TextRequest): Promise<TextAnswer> {
    if (this.#isClosing || this.#waiting >= this.#settings.waiting)
      return unread('busy', 'many texts are being read; send it again later');
    this.#waiting += 1;
    const reading = this.#last.then(() => this.#next(request));
    this.#last = reading.catch(() => undefined);
    try {
      return await reading;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #next(request: TextRequest): Promise<TextAnswer> {
    this.#cancelIdle();
    const worker = (this.#worker ??= this.#started());
    const reply = await this.#replyOf(worker, () => worker.postMessage(request, []));
    if (reply instanceof Error) {
      await this.#end();
      return unread('too-long', `${reply.message}; send a smaller text`);
    }
    if (reply.heapBytes > KEPT_HEAP_MB * 1e6) await this.#end();
    else this.#cancelIdle = this.#clock.schedule(this.#settings.idleMs, () => void this.#end());
    return reply.answer;
  }

  #started(): Worker {
    const worker = new Worker(new URL('text-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#settings.memoryMb, maxYoungGenerationSizeMb: 16 },
      // The server's own flags (a heap limit, an inspector) do not apply to this thread.
      execArgv: [],
    });
    // This listener stays while no request is active. Without it an error would end the server.
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.on('error', forget).on('exit', forget);
    // An idle thread does not keep the process alive.
    worker.unref();
    return worker;
  }

  /** Returns the answer, or an error when none arrives in time. */
  async #replyOf(worker: Worker, ask: () => void): Promise<TextReply | Error> {
    const { promise, resolve } = Promise.withResolvers<TextReply | Error>();
    const exited = (): void => resolve(new Error('the thread that reads texts ended'));
    const failed = (error: Error & { code?: string }): void =>
      resolve(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new Error(`it takes more than ${this.#settings.memoryMb} MB of memory to read`)
          : error,
      );
    worker.once('message', resolve).once('error', failed).once('exit', exited);
    const { timeMs } = this.#settings;
    const late = (): void => resolve(new Error(`it takes longer than ${timeMs / 1000} s to read`));
    const cancel = this.#clock.schedule(timeMs, late);
    ask();
    const reply = await promise;
    cancel();
    worker.off('message', resolve).off('error', failed).off('exit', exited);
    return reply;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#last;
    this.#cancelIdle();
    await this.#end();
  }
}
