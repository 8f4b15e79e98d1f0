import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildHook } from '@tinkerbell/hook';

import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';

const CACHE_DIRECTORY = fileURLToPath(new URL('../../.cache', import.meta.url));

/** The size of what a machine downloads before its agent runs, in 10^6 bytes. */
const BUILDS = [
  { name: 'quick build, zstd -3', release: false, goalMegabytes: 60 },
  { name: 'release, zstd -19', release: true, goalMegabytes: 48 },
] as const;

export const hookBenchmark: Benchmark = {
  name: 'hook',
  summary:
    'size of kernel and initramfs of the in-memory OS (the release build takes a minute; not with --quick)',
  async run(context) {
    const rows: Row[] = [];
    for (const build of BUILDS) {
      if (!build.release || !context.quick) rows.push(await sizeRow(context, build));
    }
    return rows;
  },
};

async function sizeRow(context: BenchContext, build: (typeof BUILDS)[number]): Promise<Row> {
  const { kernel, initramfs } = await buildHook({
    outputDirectory: join(context.directory, build.name),
    cacheDirectory: CACHE_DIRECTORY,
    release: build.release,
    onProgress: (line) => context.say(line),
  });
  return rowOf({
    name: build.name,
    value: (kernel.bytes + initramfs.bytes) / 1e6,
    unit: 'MB',
    better: 'lower',
    goal: { value: build.goalMegabytes },
  });
}
