import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rowOf, type BenchContext, type Benchmark } from './benchmark.ts';
import { alternate, median } from './rounds.ts';
import { mustRun } from './running-program.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

const TINK = fileURLToPath(new URL('../../bin/tink', import.meta.url));
const GOAL_MS = 120;

/** What a person waits for most often. */
const COMMANDS: readonly (readonly string[])[] = [
  ['version'],
  ['get', 'hardware'],
  ['--help'],
  ['completion', 'bash'],
];

export const tinkBenchmark: Benchmark = {
  name: 'tink',
  summary: 'the time of `tink` commands from start to end, with a server on the same machine',
  async run(context) {
    const dataDirectory = join(context.directory, 'data');
    await startOnLoopback(context, { dataDirectory });
    const contenders = COMMANDS.map(
      (words) => [words.join(' '), () => milliseconds(context, dataDirectory, words)] as const,
    );
    const times = await alternate(context.quick ? 3 : 9, Object.fromEntries(contenders));
    return Object.entries(times).map(([words, found]) =>
      rowOf({
        name: `tink ${words}`,
        value: median(found),
        unit: 'ms',
        better: 'lower',
        goal: { value: GOAL_MS },
      }),
    );
  },
};

async function milliseconds(
  context: BenchContext,
  dataDirectory: string,
  words: readonly string[],
): Promise<number> {
  const environment = { TINKERBELL_DATA_DIR: dataDirectory };
  const { seconds } = await mustRun(context, { command: [TINK, ...words], environment });
  return seconds * 1000;
}
