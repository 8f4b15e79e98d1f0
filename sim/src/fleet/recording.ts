/** The recording of a fleet: a line of JSON with its options, and then one for everything that a machine sent or got. */
import type { FleetOptions } from './fleet-options.ts';

export interface Exchange {
  /** Since the first machine was switched on, ms. */
  readonly atMs: number;
  readonly machine: string;
  readonly what: 'on' | 'sent' | 'got';
  /** Empty for `on`. */
  readonly text: string;
}

export interface Recording {
  /** The FleetOptions that do not name the server. The file may have been edited, so whoever uses them checks them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** When each machine was switched on for the first time, ms. */
  readonly onAtMs: ReadonlyMap<string, number>;
  /** What each machine got, each once. */
  readonly answers: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Answers that only one of two runs had. */
export interface Difference {
  readonly machine: string;
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

const VERSION = 1;
/** A boot is about 40 lines, of 100 bytes each. */
export const LINES_MAX = 4_000_000;

export function headerLine(options: FleetOptions): string {
  const { namespace: _, bootServer: __, keep: ___, besideOthers: ____, ...own } = options;
  return `${JSON.stringify({ recording: VERSION, options: own })}\n`;
}

export function exchangeLine({ atMs, machine, what, text }: Exchange): string {
  return `${JSON.stringify({ atMs: Math.round(atMs * 10) / 10, machine, [what]: text })}\n`;
}

/** Collects what a recording is about, line by line. */
export class RecordingReader {
  readonly #onAtMs = new Map<string, number>();
  readonly #answers = new Map<string, Set<string>>();
  #options: Recording['options'] | undefined;
  #lines = 0;

  /** @throws Error that names the line. */
  read(line: string): void {
    this.#lines += 1;
    const value = this.#json(line);
    if (this.#options === undefined) this.#options = this.#header(value);
    else this.add(this.#exchange(value));
  }

  add({ machine, what, text, atMs }: Exchange): void {
    if (what === 'on' && !this.#onAtMs.has(machine)) this.#onAtMs.set(machine, atMs);
    if (what !== 'got') return;
    const answers = this.#answers.get(machine) ?? new Set();
    this.#answers.set(machine, answers.add(text));
  }

  /** @throws Error when there was no line. */
  recording(): Recording {
    if (this.#options === undefined) throw new Error('the recording is empty');
    return { options: this.#options, onAtMs: this.#onAtMs, answers: this.#answers };
  }

  answers(): Recording['answers'] {
    return this.#answers;
  }

  #json(line: string): Record<string, unknown> {
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === 'object' && value !== null) return { ...value };
    } catch {
      // Reported below, as other values that are no objects.
    }
    throw this.#wrong('is not a JSON object');
  }

  #header({ recording, options }: Record<string, unknown>): Recording['options'] {
    if (recording === VERSION && typeof options === 'object' && options !== null) return { ...options };
    throw this.#wrong('is not the beginning of a recording of tink simulate');
  }

  #exchange({ atMs, machine, ...rest }: Record<string, unknown>): Exchange {
    for (const what of ['on', 'sent', 'got'] as const) {
      const text = rest[what];
      if (typeof text === 'string' && typeof machine === 'string' && typeof atMs === 'number')
        return { atMs, machine, what, text };
    }
    throw this.#wrong('names no machine, time and what it sent or got');
  }

  #wrong(what: string): Error {
    return new Error(`line ${this.#lines} ${what}`);
  }
}

/** In the order of the recording. How often and in which order answers came is not compared: packets are lost at other times. */
export function differences(
  before: Recording['answers'],
  after: Recording['answers'],
): readonly Difference[] {
  const none: ReadonlySet<string> = new Set();
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((machine) => {
    const [old, now] = [before.get(machine) ?? none, after.get(machine) ?? none];
    const missing = [...old.difference(now)];
    const added = [...now.difference(old)];
    return missing.length + added.length === 0 ? [] : [{ machine, missing, added }];
  });
}
