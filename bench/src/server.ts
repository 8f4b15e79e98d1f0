import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { createAgents, untilWaiting } from './agents.ts';
import { createMany } from './api-client.ts';
import { WATCHED, rowOf, type BenchContext, type Benchmark } from './benchmark.ts';
import { hardwareOf } from './machines.ts';
import { alternate, median } from './rounds.ts';
import { residentMegabytes, untilIdle } from './running-program.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

const READY_SECONDS_GOAL = 0.5;
const IDLE_MEGABYTES_GOAL = 95;
const CREATE_CONCURRENCY = 32;

export const serverBenchmark: Benchmark = {
  name: 'server',
  summary:
    'start of the server until it is ready, and its memory with 10,000 Hardware and 1,000 waiting agents',
  async run(context) {
    const start = starter(context);
    await start('warm');
    const seconds = await alternate(context.quick ? 2 : 7, {
      cold: (round) => start(`cold-${round}`),
      warm: () => start('warm'),
    });
    return [
      ...(['warm', 'cold'] as const).map((cache) =>
        rowOf({
          name: `start, ${cache} compile cache`,
          value: median(seconds[cache]),
          unit: 's',
          better: 'lower',
          goal: { value: READY_SECONDS_GOAL },
        }),
      ),
      ...(await memoryRows(context)),
    ];
  },
};

/** Node keeps its cache of compiled code in the temporary directory. */
function withCache({ directory }: BenchContext, name: string): { readonly TMPDIR: string } {
  const temporary = join(directory, name);
  mkdirSync(temporary, { recursive: true });
  return { TMPDIR: temporary };
}

/** Starts a new server until it is ready, and stops it. */
function starter(context: BenchContext): (cache: string) => Promise<number> {
  let starts = 0;
  return async (cache) => {
    const environment = withCache(context, cache);
    starts += 1;
    const dataDirectory = join(context.directory, `start-${starts}`);
    const server = await startOnLoopback(context, { dataDirectory, environment });
    await server.stop();
    return server.readySeconds;
  };
}

async function memoryRows(context: BenchContext) {
  const [machines, waiting] = context.quick ? [1000, 100] : [10_000, 1000];
  // The first start of new code fills the cache, which takes some 20 MB. A running server does not have that.
  const server = await startOnLoopback(context, {
    dataDirectory: join(context.directory, 'loaded'),
    environment: withCache(context, 'warm'),
  });
  await untilIdle(context);
  const idle = residentMegabytes(server.pid);
  context.say(`creating ${machines} Hardware`);
  const rate = await createMany(server.url, { count: machines, concurrency: CREATE_CONCURRENCY }, hardwareOf);
  context.say(`${waiting} agents begin to wait`);
  for (const agent of createAgents(context, server, waiting)) {
    // Ends when the agents are stopped at the end of the scope.
    void agent.nextAction().catch(() => undefined);
  }
  await untilWaiting(server, waiting);
  await untilIdle(context);
  const megabytes = (name: string, value: number) => ({ name, value, unit: 'MB', better: 'lower' }) as const;
  return [
    rowOf({ ...megabytes('resident memory, idle', idle), goal: { value: IDLE_MEGABYTES_GOAL } }),
    rowOf({
      ...megabytes(`resident memory, ${machines} Hardware, ${waiting} agents`, residentMegabytes(server.pid)),
      goal: WATCHED,
    }),
    rowOf({
      name: `Hardware created through the API, ${CREATE_CONCURRENCY} calls at a time`,
      value: rate,
      unit: '/s',
      better: 'higher',
      goal: WATCHED,
    }),
  ];
}
