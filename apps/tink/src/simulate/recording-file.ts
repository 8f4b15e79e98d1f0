/** The file of `--record` and `--replay`. */
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { messageOf } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import type { Recording } from '@tinkerbell/sim/fleet';
import { TinkFailure, usageFailure } from '../failure.ts';
import type { SimulateOptions } from './fleet-options.ts';

/** A recording has no longer lines. */
const LINE_CHARACTERS_MAX = 10_000;

/** Options that a recording has. */
const RECORDED = [
  'machines',
  'seed',
  'atOnce',
  'rate',
  'loss',
  'duplicates',
  'crashes',
  'speed',
  'actions',
  'work',
  'images',
  'timeout',
  'relay',
] as const satisfies readonly (keyof SimulateOptions)[];

/** @throws TinkFailure for a file that is unreadable or not a recording. */
export async function readRecording(path: string): Promise<Recording> {
  const { RecordingReader } = await import('@tinkerbell/sim/fleet');
  const reader = new RecordingReader();
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      if (line.length > LINE_CHARACTERS_MAX) throw new Error('a line is too long');
      reader.read(line);
    }
    return reader.recording();
  } catch (error) {
    throw new TinkFailure(`--replay: ${path}: ${messageOf(error)}`);
  }
}

/** As they would be on the command line, where they are checked. The times decide, so there is no rate. */
export function recordedWords({ options }: Recording): Partial<SimulateOptions> {
  const text = (name: string): string => String(options[name]);
  const workMs = isRecord(options['workMs']) ? options['workMs'] : {};
  return {
    machines: text('machines'),
    seed: text('seed'),
    atOnce: text('atOnce'),
    loss: text('loss'),
    duplicates: text('duplication'),
    crashes: text('crashes'),
    speed: text('speed'),
    actions: text('actions'),
    work: `${Number(workMs['min']) / 1000}-${Number(workMs['max']) / 1000}`,
    images: text('images'),
    timeout: String(Math.ceil(Number(options['timeoutMs']) / 1000)),
    relay: text('relayAddress'),
  };
}

/** @throws TinkFailure for an option that the command line has and the recording too. */
export function rejectRecorded(isGiven: (name: string) => boolean): void {
  const given = RECORDED.find((name) => isGiven(name));
  if (given === undefined) return;
  const option = `--${given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw usageFailure(`--replay takes ${option} from the recording`);
}

export interface RecordingFile {
  readonly write: (line: string) => void;
  /** Resolves when everything is in the file. @throws TinkFailure */
  close(): Promise<void>;
}

/** Truncates the file. More than `linesMax` lines are dropped. @throws TinkFailure when it cannot be opened. */
export async function openRecording(path: string, linesMax: number): Promise<RecordingFile> {
  const stream = createWriteStream(path);
  let failure: unknown;
  stream.on('error', (error) => (failure ??= error));
  await once(stream, 'open').catch((error: unknown) => {
    throw new TinkFailure(`--record: cannot write ${path}: ${messageOf(error)}`);
  });
  let lines = 0;
  return {
    write(line) {
      lines += 1;
      if (lines <= linesMax && failure === undefined) stream.write(line);
    },
    async close() {
      if (failure === undefined) await new Promise<void>((resolve) => stream.end(() => resolve()));
      if (failure !== undefined)
        throw new TinkFailure(`--record: cannot write ${path}: ${messageOf(failure)}`);
    },
  };
}
