import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

import {
  assertBlockDevice,
  assertNotStopped,
  defineAction,
  formatBytes,
  listDisks,
  type ActionContext,
} from '@tinkerbell/action-kit';
import { delay } from '@tinkerbell/platform-contract';

import { availableMemory } from './available-memory.ts';
import { overwriteDisk, readDisk } from './check-disk.ts';
import { runThreads } from './load-threads.ts';
import { readSettings, type Settings } from './settings.ts';

const PROGRESS_MS = 1000;
const KEY_BYTES = 16;

/** Tests processors, memory and disks for a time. See `settings.ts` for the variables. */
export const burninAction = defineAction('burnin', async (environment, context) => {
  const settings = readSettings(environment);
  const disks = settings.disks ?? (await listDisks()).map(({ path }) => path);
  for (const disk of disks) await assertBlockDevice(disk);
  const totals = await load(settings, disks, context);
  const verb = settings.isDestructive ? 'overwrote and read' : 'read';
  return {
    message: `no error in ${settings.durationSeconds} s: checked ${formatBytes(totals.memoryBytes)} of memory, ${verb} ${formatBytes(totals.diskBytes)} of ${disks.length} disks`,
  };
});

interface Totals {
  memoryBytes: number;
  diskBytes: number;
}

async function load(settings: Settings, disks: readonly string[], context: ActionContext): Promise<Totals> {
  const totals: Totals = { memoryBytes: 0, diskBytes: 0 };
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const end = (): void => void Atomics.store(stop, 0, 1);
  const isOver = (): boolean => Atomics.load(stop, 0) !== 0;
  const { signal } = context;
  const threads = Math.max(1, Math.round((availableParallelism() * settings.cpuPercent) / 100));
  const memoryBytes = Math.floor((availableMemory() * settings.memoryPercent) / 100);
  context.log.info('testing', { threads, memory: formatBytes(memoryBytes), disks: disks.join(' ') });
  const key = randomBytes(KEY_BYTES);
  const onBytes = (bytes: number): void => void (totals.diskBytes += bytes);
  const checks = disks.map((disk) => {
    const check = { disk, signal, isOver, onBytes };
    return settings.isDestructive ? overwriteDisk(check, key) : readDisk(check);
  });
  const onChecked = (checked: { memoryBytes: number }): void =>
    void (totals.memoryBytes += checked.memoryBytes);
  const works = [...checks, runThreads({ threads, memoryBytes, stop, signal, onChecked })];
  // The first failure ends all others.
  for (const work of works) work.catch(end);
  await showProgress({ settings, totals, isOver }, context);
  end();
  const ended = await Promise.allSettled(works);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  assertNotStopped(signal);
  return totals;
}

interface Watch {
  readonly settings: Settings;
  readonly totals: Totals;
  readonly isOver: () => boolean;
}

/** Returns when the time is over, or a test has failed. */
async function showProgress({ settings, totals, isOver }: Watch, context: ActionContext): Promise<void> {
  const { clock, signal } = context;
  const startMs = clock.monotonicMs();
  for (;;) {
    const seconds = Math.floor((clock.monotonicMs() - startMs) / 1000);
    if (seconds >= settings.durationSeconds || isOver() || signal.aborted) return;
    const memory = formatBytes(totals.memoryBytes);
    context.progress({
      message: `${seconds} of ${settings.durationSeconds} s, memory ${memory}, disks ${formatBytes(totals.diskBytes)}`,
    });
    await delay(clock, PROGRESS_MS, signal).catch(() => undefined);
  }
}
