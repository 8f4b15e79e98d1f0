/** Shows what machines do, and waits for what they do. */
import {
  shownOf,
  followTimeline,
  type ApiObject,
  type DemoView,
  type Machine,
  type TimelineRecord,
} from '@tinkerbell/sandbox';
import { progressOf } from './checks.ts';
import type { Home } from './home.ts';

/** Emulation on a busy machine is slow. This limit only ends runs that hang. */
const LIMIT_MS = 15 * 60_000;
const POLL_MS = 500;
/** Writing an image prints nothing, and takes a minute and a half on a busy machine. */
const SILENCE_LIMIT_MS = 180_000;
const SERIAL_LINES_SHOWN = 25;

export interface Watched {
  readonly machine: Machine;
  readonly hardware: ApiObject;
}

export type SinceStart = () => number;

/** Shows the records of a machine's timeline from now on, until the signal aborts. Returns what ends it before. */
export function show(
  { machine, hardware }: Watched,
  home: Home,
  { view, seconds, signal: stackLeaves }: { view: DemoView; seconds: SinceStart; signal: AbortSignal },
): () => void {
  const fromMs = Date.now();
  const own = new AbortController();
  const signal = AbortSignal.any([own.signal, stackLeaves]);
  const onRecord = (record: TimelineRecord): void => {
    const shown = record.atMs < fromMs ? undefined : shownOf(record);
    if (shown?.isMoving === true) view.moving(machine.name, seconds(), shown.step);
    else if (shown !== undefined) view.step(machine.name, seconds(), shown.step);
  };
  followTimeline(home, hardware, { onRecord, signal }).catch((error: unknown) => {
    if (!signal.aborted) view.text(`the timeline of ${machine.name} ended: ${String(error)}`);
  });
  return () => own.abort();
}

/**
 * Resolves with the value.
 *
 * @throws Error with the end of the machine's console when the value is rejected, the machine ends, or the limit passes.
 */
export async function orFailed<Value>(machine: Machine, wanted: Promise<Value>): Promise<Value> {
  let limit: NodeJS.Timeout | undefined;
  const ended = machine.failed.then((why) => {
    throw new Error(why);
  });
  const late = new Promise<never>((_resolve, reject) => {
    limit = setTimeout(() => reject(new Error(`no end after ${LIMIT_MS / 60_000} minutes`)), LIMIT_MS);
  });
  try {
    return await Promise.race([wanted, ended, late]);
  } catch (cause) {
    const lines = machine.serial.tail(SERIAL_LINES_SHOWN).map((line) => `    ${line}\n`);
    throw new Error(`${machine.name}: ${reasonOf(cause)}\n\nThe end of its console:\n\n${lines.join('')}`, {
      cause,
    });
  } finally {
    clearTimeout(limit);
  }
}

/** Returns the messages of an error and of what caused it: `fetch` says nothing but that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isNews = error.cause instanceof Error && !error.message.includes(error.cause.message);
  return isNews ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}

/**
 * Resolves as the value does. Firmware and loaders that get no processor for long may hang: a machine that prints nothing for long is
 * reset once, as an operator would do.
 */
export async function orReset<Value>(
  machine: Machine,
  wanted: Promise<Value>,
  onReset: () => void,
): Promise<Value> {
  let [bytes, printedMs] = [machine.serial.bytes, performance.now()];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    if (machine.serial.bytes !== bytes) [bytes, printedMs] = [machine.serial.bytes, nowMs];
    if (nowMs - printedMs < SILENCE_LIMIT_MS) return;
    clearInterval(timer);
    onReset();
    void machine.reset();
  }, POLL_MS);
  return wanted.finally(() => clearInterval(timer));
}

/** Resolves when the Workflow is what is wanted. Rejects when it has failed. */
export async function untilWorkflow(
  home: Home,
  name: string,
  wanted: (progress: ReturnType<typeof progressOf>) => boolean,
): Promise<void> {
  for (;;) {
    const progress = progressOf((await home.objects()).get(`workflows/${name}`));
    if (wanted(progress)) return;
    if (['FAILED', 'TIMEOUT'].includes(progress.state))
      throw new Error(`${name} is ${progress.state}\n${await home.tink('workflow', 'events', name)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export function untilInstalled(home: Home, name: string): Promise<void> {
  return untilWorkflow(home, name, ({ state }) => state === 'SUCCESS');
}

/** Resolves when the machine has printed the text. Call it before power-on. */
export function printed(machine: Machine, wanted: RegExp): Promise<void> {
  return new Promise((resolve) => {
    machine.serial.onLine((line) => {
      if (wanted.test(line)) resolve();
    });
  });
}
