/** Lines on their way to one client, which takes them at its own speed or not at all. */
import type { HeldBytes, HeldFor } from '@tinkerbell/platform-contract';

/** A client on a slow line catches up on so much; one that is further behind is cheaper served by a new list. */
const BYTES_MAX = 16 * 1024 * 1024;
/** Each costs memory of its own beside its bytes. */
const LINES_MAX = 10_000;

export interface LineQueueOptions {
  /** Counts what waits in all queues together. */
  readonly held: HeldBytes;
  /** What the client is sent when it is too far behind; then the stream ends. */
  readonly tooSlow: () => Uint8Array;
  /** Called once, when no further line is taken. */
  readonly onEnd: () => void;
}

export class LineQueue {
  readonly #options: LineQueueOptions;
  readonly #held: HeldFor;
  #lines: Uint8Array[] = [];
  #next = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The client waits for a line. */
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

  /** A line that was asked for: `push` without the limits of one queue. */
  add(line: Uint8Array): void {
    if (this.#isEnding) return;
    this.#lines.push(line);
    this.#held.hold(line);
  }

  /** What waits is still sent. */
  end(last?: Uint8Array): void {
    if (this.#isEnding) return;
    if (last !== undefined) this.#lines.push(last);
    this.#isEnding = true;
    this.#options.onEnd();
    if (this.#isAsked && this.#controller !== undefined) void this.#pull(this.#controller);
  }

  /** Nothing more is sent. */
  abandon(): void {
    if (this.#isOver) return;
    this.end();
    this.#drop();
    this.#close();
  }

  /** `more` is called whenever the client asks and nothing waits; it adds lines, and resolves with false when it has no more. */
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
      // The client has cancelled the stream already.
    }
  }
}
