/** `npm run bench [-- NAME | GROUP | all] [--quick | --full] [--part PART] [--against DIR] [--json] [--report]` */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { againstRows } from './against/against.ts';
import { CannotRun, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { observeHost } from './recorded/host-state.ts';
import { writeRecords, type BenchRecord } from './recorded/records.ts';
import { jsonLine, missedText, tableOf } from './report.ts';
import { BENCHMARKS, GROUPS } from './benchmarks.ts';

const CACHE_DIRECTORY = fileURLToPath(new URL('../../.cache/bench', import.meta.url));

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      part: { type: 'string' },
      against: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [name = ''] = positionals;
  if (values.help || name === '') {
    process.stdout.write(usage());
    return 0;
  }
  const group = GROUPS[name];
  const chosen = group ?? BENCHMARKS.filter((one) => one.name === name);
  if (chosen.length === 0 || positionals.length > 1) {
    process.stderr.write(`bench: there is no benchmark ${positionals.join(' ')}\n\n${usage()}`);
    return 2;
  }
  if (values.report && values.against !== undefined) {
    process.stderr.write('bench: --report and --against exclude each other\n');
    return 2;
  }
  if (values.part !== undefined && (values.report || chosen.some((one) => !hasPart(one, values.part)))) {
    process.stderr.write(`bench: --part names a part of a benchmark, and excludes --report\n\n${usage()}`);
    return 2;
  }
  return await runAll(chosen, { ...values, name, isGroup: group !== undefined });
}

interface RunOptions extends Pick<BenchContext, 'quick' | 'full'> {
  readonly name: string;
  readonly isGroup: boolean;
  readonly json: boolean;
  /** Records the results, and writes the tables of the documents. */
  readonly report: boolean;
  /** Measures only this part of the benchmark. */
  readonly part?: string;
  /** The root of another checkout, beside which the server of this one is measured. */
  readonly against?: string;
}

async function runAll(chosen: readonly Benchmark[], options: RunOptions): Promise<number> {
  const rows: Row[] = [];
  const records: BenchRecord[] = [];
  let failures = 0;
  for (const benchmark of chosen) {
    try {
      const hostState = observeHost();
      const found = await runOne(benchmark, options);
      records.push({ bench: benchmark.name, mode: modeOf(options), ...hostState(), rows: found });
      process.stdout.write(`\n${benchmark.name}: ${benchmark.summary}\n\n${tableOf(found)}`);
      const prefix = options.isGroup ? `${benchmark.name}: ` : '';
      rows.push(...found.map((row) => ({ ...row, name: prefix + row.name })));
    } catch (error) {
      failures += 1;
      process.stderr.write(`bench: ${benchmark.name} could not run: ${textOf(error)}\n`);
    }
  }
  process.stdout.write(`\n${missedText(rows)}`);
  if (options.report) report(records);
  if (options.json && failures === 0) process.stdout.write(jsonLine(options.name, rows));
  return failures === 0 ? 0 : 1;
}

function modeOf({ quick, full }: RunOptions): BenchRecord['mode'] {
  if (quick) return 'quick';
  return full ? 'full' : 'usual';
}

function report(records: readonly BenchRecord[]): void {
  writeRecords(
    records,
    BENCHMARKS.map(({ name }) => name),
  );
  process.stderr.write('bench: results recorded; `npm run generate` writes them into the READMEs\n');
}

/** Everything that it started or created is gone when this settles. */
async function runOne(
  benchmark: Benchmark,
  { quick, full, part, against }: Pick<RunOptions, 'quick' | 'full' | 'part' | 'against'>,
): Promise<readonly Row[]> {
  const say = (line: string): void => void process.stderr.write(`${benchmark.name}: ${line}\n`);
  await using scope = new AsyncDisposableStack();
  const end = (): void => {
    void scope.disposeAsync().finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, end);
    scope.defer(() => void process.removeListener(signal, end));
  }
  mkdirSync(CACHE_DIRECTORY, { recursive: true });
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-bench-'));
  scope.defer(() => rmSync(directory, { recursive: true, force: true }));
  const [load = 0] = loadavg();
  if (load > 0.5) say(`this machine is busy (load ${load.toFixed(1)}): expect worse numbers`);
  const context = { quick, full, directory, cacheDirectory: CACHE_DIRECTORY, scope, say };
  const run = benchmark.parts?.[part ?? ''];
  if (run !== undefined) return await run(context);
  if (against === undefined) return await benchmark.run(context);
  return await againstRows(context, benchmark.name, resolve(against));
}

function hasPart({ parts }: Benchmark, part = ''): boolean {
  return parts?.[part] !== undefined;
}

function usage(): string {
  const width = Math.max(...BENCHMARKS.map((one) => one.name.length));
  const lines = BENCHMARKS.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}\n`);
  return `npm run bench -- NAME [--quick | --full] [--part PART] [--against DIR] [--json] [--report]\n\n${lines.join('')}  ${'boot'.padEnd(width)}  ${GROUPS['boot']?.map((one) => one.name).join(', ')}\n  ${'all'.padEnd(width)}  each of them\n`;
}

function textOf(error: unknown): string {
  if (error instanceof CannotRun) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

process.exitCode = await main();
