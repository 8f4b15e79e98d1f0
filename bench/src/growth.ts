import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { patchMachine } from './api.ts';
import { rowOf, WATCHED, type BenchContext, type Benchmark, type Goal, type Row } from './benchmark.ts';
import { addressesOf } from './machines.ts';
import { HARDWARE } from './patched-hardware.ts';
import { quantile } from './rounds.ts';
import { residentMegabytes, untilIdle } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';

const SIZES = { quick: [1000, 10_000], whole: [1000, 10_000, 100_000] } as const;
const ROUNDS = 100;
/** Goals of the largest site. Smaller ones show the growth. */
const LARGEST = 100_000;
const GOALS = { startSeconds: 2.5, megabytes: 300, otherMs: 20 } as const;

export const growthBenchmark: Benchmark = {
  name: 'growth',
  summary:
    'start, memory and single requests with 1,000, 10,000 and 100,000 Hardware, alone and while one client lists them all',
  async run(context) {
    const rows: Row[] = [];
    for (const count of context.quick ? SIZES.quick : SIZES.whole)
      rows.push(...(await siteRows(context, count)));
    return rows;
  },
};

async function siteRows(context: BenchContext, count: number): Promise<readonly Row[]> {
  const dataDirectory = join(context.directory, String(count));
  mkdirSync(dataDirectory);
  context.say(`storing ${count} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), count);
  await (await startOnLoopback(context, { dataDirectory })).stop();
  const server = await startOnLoopback(context, { dataDirectory });
  await untilIdle(context);
  if (count === LARGEST) await untilChecked();
  const megabytes = residentMegabytes(server.pid);
  const requests = requestsOf(server, count);
  const lower = (name: string, { value, unit, goal }: { value: number; unit: string; goal: Goal }): Row =>
    rowOf({ name: `${count.toLocaleString('en-US')} Hardware: ${name}`, value, unit, better: 'lower', goal });
  const ofLargest = (value: number): Goal => (count === LARGEST ? { value } : WATCHED);
  const rows = [
    lower('start', { value: server.readySeconds, unit: 's', goal: ofLargest(GOALS.startSeconds) }),
    lower('memory', { value: megabytes, unit: 'MB', goal: ofLargest(GOALS.megabytes) }),
  ];
  for (const [name, request] of Object.entries(requests)) {
    const alone = await timesOf(request);
    rows.push(lower(`${name}, median`, { value: quantile(alone, 0.5), unit: 'ms', goal: WATCHED }));
  }
  const listing = listForever(server.url);
  for (const [name, request] of Object.entries(requests)) {
    const beside = quantile(await timesOf(request), 0.99);
    rows.push(
      lower(`${name} while a client lists, 99 of 100`, {
        value: beside,
        unit: 'ms',
        goal: ofLargest(GOALS.otherMs),
      }),
    );
  }
  await listing.stop();
  await server.stop();
  return rows;
}

/** The doctor looks at each machine once after a start, which takes it 40 s here. Only then is the server quiet, and returns the memory of its start. */
function untilChecked(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** One request of each kind, each time for another machine. */
function requestsOf(
  { url }: LoopbackServer,
  count: number,
): Readonly<Record<string, (round: number) => Promise<void>>> {
  const machine = (round: number): number => (round * 7919) % count;
  return {
    'a page of 500': () => got(`${url}${HARDWARE}?limit=500`),
    'one Hardware': (round) => got(`${url}${HARDWARE}/machine-${machine(round)}`),
    'an iPXE script': (round) => got(`${url}/ipxe/script/${addressesOf(machine(round)).mac}/auto.ipxe`),
    'a change': (round) => patchMachine(url, round),
  };
}

async function got(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
}

async function timesOf(request: (round: number) => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now();
    await request(round);
    times.push(performance.now() - startedMs);
  }
  return times;
}

/** Lists with a selector that passes over every object and matches none, again and again. */
function listForever(url: string): { stop(): Promise<void> } {
  const state = { isStopped: false };
  const listed = (async () => {
    while (!state.isStopped) await got(`${url}${HARDWARE}?labelSelector=never%3Dthere`);
  })();
  return {
    async stop() {
      state.isStopped = true;
      await listed;
    },
  };
}
