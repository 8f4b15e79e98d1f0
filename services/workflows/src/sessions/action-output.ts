/** Writes the output of one attempt of an action to the journal: redacted, truncated, bounded. */
import { redacted } from '@tinkerbell/api/redaction';
import { ACTION_OUTPUT, type Journal, type JournalDetail } from '@tinkerbell/store-contract';
import type { WorkflowsMetrics } from '../metrics.ts';

export type OutputStream = 'stdout' | 'stderr' | 'progress' | 'notice';

export interface OutputLine {
  readonly position: number;
  readonly stream: OutputStream;
  readonly text: string;
}

/** The attempt that wrote the output. */
export interface OutputSource {
  readonly workflow: string;
  readonly machine?: string;
  readonly task: string;
  readonly action: string;
  readonly attempt: number;
  readonly secrets: readonly string[];
}

export const OUTPUT_LINES_MAX = 10_000;
export const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
export const LINE_BYTES_MAX = 4096;

type OutputMetrics = Pick<WorkflowsMetrics, 'outputLines'>;

export class ActionOutput {
  readonly key: string;
  readonly #source: OutputSource;
  readonly #journal: Journal;
  readonly #lineCounts: OutputMetrics['outputLines'];
  readonly #buffer = new Uint8Array(LINE_BYTES_MAX);
  /** The position up to which every line was accepted. */
  position = 0;
  #lines = 0;
  #bytes = 0;
  #dropped = 0;
  #droppedBytes = 0;
  #progress: OutputLine | undefined;

  /** `key` names the attempt. */
  constructor(key: string, source: OutputSource, deps: { journal: Journal; metrics: OutputMetrics }) {
    this.key = key;
    this.#source = source;
    this.#journal = deps.journal;
    this.#lineCounts = deps.metrics.outputLines;
  }

  /** A line that was accepted before changes nothing. */
  take(line: OutputLine): void {
    if (line.position <= this.position) return;
    this.position = line.position;
    const whole = redacted(line.text, this.#source.secrets);
    const { read, written } = new TextEncoder().encodeInto(whole, this.#buffer);
    const text = whole.slice(0, read);
    if (this.#lines >= OUTPUT_LINES_MAX || this.#bytes + written > OUTPUT_BYTES_MAX) {
      this.#dropped += 1;
      this.#droppedBytes += written;
      this.#lineCounts.add({ outcome: 'dropped' });
      if (line.stream === 'progress') this.#progress = { ...line, text };
      return;
    }
    this.#lines += 1;
    this.#bytes += written;
    this.#store({ ...line, text });
  }

  /** Reports what was dropped, and the progress of the action. Call it once, when no more output is expected. */
  finish(): void {
    if (this.#dropped === 0) return;
    const { position } = this;
    const text = `${this.#dropped} lines (${this.#droppedBytes} bytes) more were dropped`;
    this.#store({ position, stream: 'notice', text });
    if (this.#progress !== undefined) this.#store(this.#progress);
    this.#dropped = 0;
  }

  #store({ position, stream, text }: OutputLine): void {
    const { workflow, machine, task, action, attempt } = this.#source;
    const details: Record<string, JournalDetail> = { task, action, attempt, stream, position };
    this.#lineCounts.add({ outcome: 'stored' });
    this.#journal.append({
      source: 'agent',
      event: ACTION_OUTPUT,
      workflow,
      ...(machine === undefined ? {} : { machine }),
      message: text,
      details,
    });
  }
}
