import { readFileSync } from 'node:fs';
import type { MetricSet } from '@tinkerbell/platform-metrics';

/** Memory as the kernel counts it. Without /proc, only what is resident is known. */
export function declareMemory(set: MetricSet): void {
  set
    .gauge('process_resident_memory_bytes', 'Resident memory size in bytes.')
    .from(() => process.memoryUsage.rss());
  set
    .gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.')
    .from(() => statusBytes('VmSize'));
  set.gauge('process_heap_bytes', 'Process heap size in bytes.').from(() => statusBytes('VmData'));
}

function statusBytes(field: string): number | [] {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(procText('status'))?.[1];
  return kilobytes === undefined ? [] : Number(kilobytes) * 1024;
}

/** Returns the text of a file below /proc/self, or '' if there is no such file. To read it never blocks, because it is in memory. */
export function procText(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    return '';
  }
}
