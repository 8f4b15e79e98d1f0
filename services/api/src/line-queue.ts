/** Queues lines for one client, which reads at its own speed or not at all. */
import type { HeldBytes, HeldFor } from '@tinkerbell/platform-contract';

/** Limit of a queue in bytes. For a client further behind, a new list is cheaper. */
const BYTES_MAX = 16 * 1024 * 1024;
/** Limit of lines, because each takes memory beside its bytes. */
const LINES_MAX = 10_000;

export interface LineQueueOptions {
  /** Counts the bytes of all queues. */
  readonly held: HeldBytes;
  /** The last line for a client that is too far behind. The stream then ends. */
  readonly tooSlow: () => Uint8Array;
  /** Called once, when the queue accepts no more lines. */
  readonly onEnd: () => void;
}

export class LineQueue {
  readonly #options: LineQueueOptions;
  readonly #held: HeldFor;
  #lines: Uint8Array[] = [];
  #next = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** True while the client waits for a line. */
  #isAsked = false;
  #isEnding = false;
  #isOver = false;
  #more: (() => Promise<boolean>) | undefined;

  constructor(options: LineQueueOptions) {
    this.#options = options;
    this.#held = options.held.reader(() => this.#endSlow());
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  push(line: Uint8Array): void {
    if (this.#isEnding) return;
    if (this.#isAsked) return this.#give(line);
    this.add(line);
    const waiting = this.#lines.length - this.#next;
    if (waiting > LINES_MAX || this.#held.bytes() > BYTES_MAX) this.#endSlow();
  }

  /** Adds a requested line: like `push`, but without the limits of one queue. */
  add(line: Uint8Array): void {
    if (this.#isEnding) return;
    this.#lines.push(line);
    this.#held.hold(line);
  }

  /** Ends the stream after the queued lines. */
  end(last?: Uint8Array): void {
    if (this.#isEnding) return;
    if (last !== undefined) this.#lines.push(last);
    this.#isEnding = true;
    this.#options.onEnd();
    if (this.#isAsked && this.#controller !== undefined) void this.#pull(this.#controller);
  }

  /** Ends the stream at once. */
  abandon(): void {
    if (this.#isOver) return;
    this.end();
    this.#drop();
    this.#close();
  }

  /**
   * `more` is called when the client reads and the queue is empty. It adds lines, and resolves with false when there are no
   * more.
   */
  stream(more: () => Promise<boolean>): ReadableStream<Uint8Array> {
    this.#more = more;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: (controller) => this.#pull(controller),
        cancel: () => this.abandon(),
      },
      { highWaterMark: 0 },
    );
  }

  #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined {
    this.#isAsked = false;
    const line = this.#take();
    if (line !== undefined) controller.enqueue(line);
    else if (this.#isEnding) this.#close();
    else if (this.#more !== undefined) return this.#ask(this.#more, controller);
    else this.#isAsked = true;
    return undefined;
  }

  async #ask(
    more: () => Promise<boolean>,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    if (!(await more())) this.#more = undefined;
    if (!this.#isOver) await this.#pull(controller);
  }

  #take(): Uint8Array | undefined {
    const line = this.#lines[this.#next];
    if (line === undefined) {
      this.#lines = [];
      this.#next = 0;
      return undefined;
    }
    this.#next += 1;
    this.#held.release(line);
    return line;
  }

  #give(line: Uint8Array): void {
    this.#isAsked = false;
    this.#controller?.enqueue(line);
  }

  #endSlow(): void {
    if (this.#isEnding) return;
    this.#drop();
    this.end(this.#options.tooSlow());
  }

  #drop(): void {
    this.#lines = [];
    this.#next = 0;
    this.#held.end();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held.end();
    try {
      this.#controller?.close();
    } catch {
      // The client has already cancelled the stream.
    }
  }
}
