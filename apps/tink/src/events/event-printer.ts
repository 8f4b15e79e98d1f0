/**
 * Prints records, one per line. On a terminal, the progress of one operation is a single line that is overwritten. Its last
 * text stays.
 */
import type { JournalRecord } from '@tinkerbell/store-contract';
import { printable } from '../output/printable.ts';
import { dayOf, eventLine, type EventStyle } from './event-line.ts';

export interface PrinterOptions extends EventStyle {
  readonly write: (text: string) => void;
  /** True if a line can be overwritten. */
  readonly isTty: boolean;
  readonly columns: () => number;
  /** The day that needs no heading, as `dayOf` returns it. */
  readonly today: string;
}

const ESCAPE = '\u001b';
const CLEAR_LINE = `\r${ESCAPE}[2K`;
const colourOrCharacter = new RegExp(`${ESCAPE}\\[\\d+m|[^]`, 'gu');
const progress = new Set(['action-progressed', 'transfer-moved', 'file-moved']);

export class EventPrinter {
  readonly #options: PrinterOptions;
  #day: string;
  /** The operation whose progress is on the unfinished last line. */
  #open: string | undefined;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#day = options.today;
  }

  print(record: JournalRecord): void {
    const { write, isTty } = this.#options;
    const key = isTty ? progressOf(record) : undefined;
    if (this.#open !== undefined && this.#open !== key) this.end();
    this.#printDay(record);
    const line = eventLine(record, this.#options);
    if (key === undefined) {
      write(`${line}\n`);
    } else {
      write(`${this.#open === undefined ? '' : CLEAR_LINE}${cut(line, this.#options.columns() - 1)}`);
      this.#open = key;
    }
  }

  /** Prints a line between the records, such as a lost connection. */
  note(text: string): void {
    this.end();
    this.#options.write(`${printable(text)}\n`);
  }

  /** Finishes a progress line, so that other output can follow. */
  end(): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    this.#options.write('\n');
  }

  #printDay({ atMs }: JournalRecord): void {
    const day = dayOf(atMs);
    if (day === this.#day) return;
    this.#day = day;
    this.note(`--- ${day}`);
  }
}

function progressOf({ event, machine, workflow, details }: JournalRecord): string | undefined {
  if (!progress.has(event)) return undefined;
  return [event, machine, workflow, details?.['path'], details?.['task'], details?.['action']].join('\n');
}

/** Cuts text to `width` visible characters. Colours take no width. A line that wraps cannot be overwritten. */
function cut(line: string, width: number): string {
  let seen = 0;
  let end = '';
  for (const [part] of line.matchAll(colourOrCharacter)) {
    if (part.length > 1 && part.startsWith(ESCAPE)) end += part;
    else if (seen++ < width) end += part;
  }
  return end;
}
