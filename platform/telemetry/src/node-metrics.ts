import { readdirSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Clock } from '@tinkerbell/platform-contract';
import type { MetricSet } from '@tinkerbell/platform-metrics';
import { procText } from './memory-metrics.ts';

export function declareProcessor(set: MetricSet, clock: Pick<Clock, 'nowMs'>): void {
  const seconds = (kind: 'user' | 'system'): number => process.cpuUsage()[kind] / 1e6;
  set
    .counter('process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.')
    .from(() => seconds('user'));
  set
    .counter('process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.')
    .from(() => seconds('system'));
  set
    .counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.')
    .from(() => seconds('user') + seconds('system'));
  set
    .gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.')
    .set({}, Math.round(clock.nowMs() / 1000 - process.uptime()));
}

/** Where the system shows them. */
export function declareFiles(set: MetricSet): void {
  set.gauge('process_open_fds', 'Number of open file descriptors.').from(openFiles);
  const most = /^Max open files\s+(\d+)/m.exec(procText('limits'))?.[1];
  if (most !== undefined)
    set.gauge('process_max_fds', 'Maximum number of open file descriptors.').set({}, Number(most));
}

function openFiles(): number | [] {
  try {
    // Without the one that reads the folder.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return [];
  }
}

export function declareHeap(set: MetricSet): void {
  const { memoryUsage } = process;
  set
    .gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.')
    .from(() => memoryUsage().heapTotal);
  set
    .gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.')
    .from(() => memoryUsage().heapUsed);
  set
    .gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.')
    .from(() => memoryUsage().external);
  const sizes = { total: 'space_size', used: 'space_used_size', available: 'space_available_size' } as const;
  for (const [name, field] of Object.entries(sizes))
    set
      .gauge(
        `nodejs_heap_space_size_${name}_bytes`,
        `Process heap space size ${name} from Node.js in bytes.`,
        ['space'],
      )
      .from(() =>
        getHeapSpaceStatistics().map(
          (one) => [{ space: one.space_name.replace(/_space$/, '') }, one[field]] as const,
        ),
      );
}

export function declareVersion(set: MetricSet): void {
  const { version } = process;
  const [major = '', minor = '', patch = ''] = version.slice(1).split('.');
  set
    .gauge('nodejs_version_info', 'Node.js version info.', ['version', 'major', 'minor', 'patch'])
    .set({ version, major, minor, patch }, 1);
}
