/** `npm run bench [-- NAME | all] [--quick] [--json]` */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { CannotRun, type Benchmark, type Row } from './benchmark.ts';
import { dhcpBenchmark } from './dhcp.ts';
import { goTemplateBenchmark } from './go-template.ts';
import { hookBenchmark } from './hook.ts';
import { image2diskBenchmark } from './image2disk.ts';
import { metadataBenchmark } from './metadata.ts';
import { jsonLine, tableOf } from './report.ts';
import { scriptsBenchmark } from './scripts.ts';
import { serverBenchmark } from './server.ts';
import { tftpBenchmark } from './tftp.ts';
import { workflowsBenchmark } from './workflows.ts';

const CACHE_DIRECTORY = fileURLToPath(new URL('../../.cache/bench', import.meta.url));

const BENCHMARKS: readonly Benchmark[] = [
  image2diskBenchmark,
  serverBenchmark,
  workflowsBenchmark,
  dhcpBenchmark,
  tftpBenchmark,
  scriptsBenchmark,
  metadataBenchmark,
  hookBenchmark,
  goTemplateBenchmark,
];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [name = ''] = positionals;
  if (values.help || name === '') {
    process.stdout.write(usage());
    return 0;
  }
  const chosen = BENCHMARKS.filter((one) => name === 'all' || one.name === name);
  if (chosen.length === 0 || positionals.length > 1) {
    process.stderr.write(`bench: there is no benchmark ${positionals.join(' ')}\n\n${usage()}`);
    return 2;
  }
  const rows: Row[] = [];
  let failures = 0;
  for (const benchmark of chosen) {
    try {
      const found = await runOne(benchmark, values.quick);
      process.stdout.write(`\n${benchmark.name}: ${benchmark.summary}\n\n${tableOf(found)}`);
      rows.push(
        ...(name === 'all'
          ? found.map((row) => ({ ...row, name: `${benchmark.name}: ${row.name}` }))
          : found),
      );
    } catch (error) {
      failures += 1;
      process.stderr.write(`bench: ${benchmark.name} could not run: ${textOf(error)}\n`);
    }
  }
  if (values.json && failures === 0) process.stdout.write(jsonLine(name, rows));
  return failures === 0 ? 0 : 1;
}

/** Everything it started or made is gone when this settles. */
async function runOne(benchmark: Benchmark, quick: boolean): Promise<readonly Row[]> {
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
  return await benchmark.run({ quick, directory, cacheDirectory: CACHE_DIRECTORY, scope, say });
}

function usage(): string {
  const width = Math.max(...BENCHMARKS.map((one) => one.name.length));
  const lines = BENCHMARKS.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}\n`);
  return `npm run bench -- NAME [--quick] [--json]\n\n${lines.join('')}  ${'all'.padEnd(width)}  each of them\n`;
}

function textOf(error: unknown): string {
  if (error instanceof CannotRun) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

process.exitCode = await main();
