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
const LIMIT_MS = 10 * 60_000;
const POLL_MS = 500;
const SERIAL_LINES_SHOWN = 25;

export interface Watched {
  readonly machine: Machine;
  readonly hardware: ApiObject;
}

export type SinceStart = () => number;

/** Shows the records of a machine's timeline from now on, until the signal aborts. */
export function show(
  { machine, hardware }: Watched,
  home: Home,
  { view, seconds, signal }: { view: DemoView; seconds: SinceStart; signal: AbortSignal },
): void {
  const fromMs = Date.now();
  const onRecord = (record: TimelineRecord): void => {
    const shown = record.atMs < fromMs ? undefined : shownOf(record);
    if (shown?.isMoving === true) view.moving(machine.name, seconds(), shown.step);
    else if (shown !== undefined) view.step(machine.name, seconds(), shown.step);
  };
  followTimeline(home, hardware, { onRecord, signal }).catch((error: unknown) => {
    if (!signal.aborted) view.text(`the timeline of ${machine.name} ended: ${String(error)}`);
  });
}

/** Resolves with the value. Rejects with the end of the console when the machine ends, or after the limit. */
export async function orFailed<Value>(
  machine: Machine,
  what: string,
  wanted: Promise<Value>,
): Promise<Value> {
  let limit: NodeJS.Timeout | undefined;
  const failing = new Promise<never>((_resolve, reject) => {
    const fail = (why: string): void =>
      reject(
        new Error(`${machine.name}: ${what}: ${why}\n${machine.serial.tail(SERIAL_LINES_SHOWN).join('\n')}`),
      );
    limit = setTimeout(() => fail(`not after ${LIMIT_MS / 60_000} minutes`), LIMIT_MS);
    void machine.failed.then(fail);
  });
  return Promise.race([wanted, failing]).finally(() => clearTimeout(limit));
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

/** Resolves when the machine has printed a line. Call it before power-on. */
export function printed(machine: Machine, wanted: RegExp): Promise<void> {
  return new Promise((resolve) => {
    machine.serial.onLine((line) => {
      if (wanted.test(line)) resolve();
    });
  });
}
