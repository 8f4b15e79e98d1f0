/** Copies everything of one store into another. */
import { PlatformError, type Log } from '@tinkerbell/platform-contract';
import { transfer, TransferRefusal, type TransferReport } from '@tinkerbell/engine-transfer';
import { TinkFailure } from '../failure.ts';
import { progressLine } from '../output/progress-line.ts';
import type { Terminal } from '../output/terminal.ts';
import { openPlace } from './open-place.ts';

export interface MigrateOptions {
  readonly from: string;
  readonly to: string;
  readonly whileRunning?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function migrate(options: MigrateOptions, terminal: Terminal): Promise<void> {
  const { dryRun: isDryRun = false, whileRunning: isWhileRunning = false, json = false } = options;
  const log = errorsTo(terminal);
  await using cleanup = new AsyncDisposableStack();
  try {
    const common = { log, terminal, isDryRun };
    const from = await openPlace(options.from, { ...common, side: '--from' }, cleanup);
    const to = await openPlace(options.to, { ...common, side: '--to' }, cleanup);
    const onProgress = progressOf(terminal);
    const { signal } = terminal;
    const report = await transfer({ from, to, isDryRun, isWhileRunning, signal, onProgress });
    terminal.out(json ? `${JSON.stringify(report)}\n` : summaryOf(report));
  } catch (thrown) {
    throw failureOf(thrown);
  }
}

/** What stores say while they are copied, except errors, is for an operator of a server. */
function errorsTo(terminal: Terminal): Log {
  const nothing = (): void => undefined;
  const error: Log['error'] = (message, fields = {}) =>
    terminal.err(`${message} ${JSON.stringify(fields)}\n`);
  const log: Log = { debug: nothing, info: nothing, warn: nothing, error, child: () => log };
  return log;
}

function progressOf(terminal: Terminal): (step: string, done: number, total: number) => void {
  const lines = new Map<string, (done: number) => void>();
  return (step, done, total) => {
    const line = lines.get(step) ?? progressLine(terminal, `copying ${step}`, total);
    lines.set(step, line);
    line(done);
  };
}

function failureOf(thrown: unknown): unknown {
  if (thrown instanceof TransferRefusal) return new TinkFailure(thrown.message, { advice: thrown.advice });
  if (thrown instanceof PlatformError) return new TinkFailure(thrown.message);
  return thrown;
}

function summaryOf(report: TransferReport): string {
  const { from, to, kinds, objects, records, leases, running, isDryRun, isResumed } = report;
  const rows = kinds.map(
    ({ collection, count, digest }) =>
      `  ${collection.padEnd(44)} ${String(count).padStart(8)}  ${digest.slice(0, 16)}\n`,
  );
  const apart =
    records === undefined
      ? '  timelines and leases stay in the data folder of the server\n'
      : `  ${records} records of timelines and output, ${leases ?? 0} leases\n`;
  const going = running.map((one) => `  still running: ${one}; its agent reports to the new server\n`);
  const done = isDryRun ? 'would be copied' : `${isResumed ? 'resumed; ' : ''}copied and compared`;
  return `${from} -> ${to}\n${rows.join('')}${apart}${going.join('')}${objects} objects ${done}\n`;
}
