/** Lays out the records of a boot as bars on a scale of time. Pure. */
import { meaningOf, type TimelineRecord } from '@tinkerbell/diagnosis/boots';

export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly source: string;
  readonly atMs: number;
  readonly durationMs: number;
  /** From 0 to 1 of the whole boot. */
  readonly start: number;
  readonly width: number;
  readonly message: string;
  readonly isTrouble: boolean;
  /** How often it happened. */
  readonly count: number;
}

export interface Waterfall {
  readonly bars: readonly Bar[];
  readonly totalMs: number;
  readonly startMs: number;
}

/** Bars of moments must be visible. */
const WIDTH_MIN = 0.004;

export function waterfallOf(boot: readonly TimelineRecord[]): Waterfall {
  const groups = [...Map.groupBy(boot, stepOf).values()].map(spanOf);
  const startMs = Math.min(...groups.map(({ fromMs }) => fromMs));
  const totalMs = Math.max(1, Math.max(...groups.map(({ toMs }) => toMs)) - startMs);
  const bars = groups.map(({ records, fromMs, toMs, last }) => ({
    key: `${last.sequence}`,
    label: labelOf(last),
    source: last.source,
    atMs: fromMs - startMs,
    durationMs: toMs - fromMs,
    start: Math.min(1 - WIDTH_MIN, (fromMs - startMs) / totalMs),
    width: Math.max(WIDTH_MIN, (toMs - fromMs) / totalMs),
    message: last.message,
    isTrouble: meaningOf(last.event).kind === 'trouble',
    count: isOneStep(last) ? 1 : records.length,
  }));
  return { bars: bars.toSorted((one, other) => one.atMs - other.atMs), totalMs, startMs };
}

/** The records of one step share a key: a transfer, an action, repeated requests. */
function stepOf({ event, source, details = {}, sequence }: TimelineRecord): string {
  if (event.startsWith('transfer-')) return `transfer ${details['path']} ${details['offset']}`;
  if (event.startsWith('action-'))
    return `action ${details['task']} ${details['action']} ${details['attempt'] ?? 1}`;
  if (event === 'file-moved') return `file ${details['file']}`;
  if (event.startsWith('iso-')) return 'iso';
  if (event === 'message-received') return 'syslog';
  if (event === 'request-ignored') return `ignored ${details['reason']}`;
  return `${source} ${sequence}`;
}

/** Its records are its start, its progress and its end. */
function isOneStep({ event }: TimelineRecord): boolean {
  return /^(transfer|action|iso)-|^file-moved$/.test(event);
}

function spanOf(records: readonly TimelineRecord[]) {
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) throw new Error('a step has no record');
  const milliseconds = last.details?.['milliseconds'];
  // A transfer is recorded when it ends.
  const took = typeof milliseconds === 'number' ? milliseconds : 0;
  return { records, last, fromMs: Math.min(first.atMs, last.atMs - took), toMs: last.atMs };
}

function labelOf({ source, event, message, details = {} }: TimelineRecord): string {
  const { action, path } = details;
  if (event.startsWith('action-') && typeof action === 'string') return action;
  if (typeof path === 'string') return path.slice(path.lastIndexOf('/') + 1) || path;
  if (event === 'state-changed') return message;
  const words = event.replace(/^bmc-/, 'BMC-').replaceAll('-', ' ');
  return LABELS[event] ?? (source === 'dhcp' ? `DHCP ${words}` : words);
}

/** Of events whose name alone does not say what they are about. */
const LABELS: Readonly<Record<string, string>> = {
  'message-received': 'log messages',
  'script-served': 'boot script served',
};
