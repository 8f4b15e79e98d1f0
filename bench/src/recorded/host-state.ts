import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

import type { BenchRecord } from './records.ts';

/** Column of `/proc/stat` with the time in which the host ran somebody else, see proc_stat(5). */
const STEAL_COLUMN = 7;

/** Call it before the run, and what it returns after the run. */
export function observeHost(): () => Pick<BenchRecord, 'date' | 'cores' | 'load' | 'stealPercent'> {
  const [load = 0] = loadavg();
  const before = processorTimes();
  return () => {
    const passed = processorTimes().map((ticks, column) => ticks - (before[column] ?? 0));
    const all = passed.slice(0, STEAL_COLUMN + 1).reduce((sum, ticks) => sum + ticks, 0);
    return {
      date: new Date().toISOString().slice(0, 10),
      cores: availableParallelism(),
      load: Number(load.toFixed(1)),
      stealPercent: Number(((100 * (passed[STEAL_COLUMN] ?? 0)) / Math.max(all, 1)).toFixed(1)),
    };
  };
}

function processorTimes(): readonly number[] {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  return line.split(/\s+/).slice(1).map(Number);
}
