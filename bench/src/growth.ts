import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { rowOf, WATCHED, type BenchContext, type Benchmark, type Goal, type Row } from './benchmark.ts';
import type { LoadResult } from './http-load-client.ts';
import { httpLoad, patchText, requestText } from './http-load.ts';
import { addressesOf } from './machines.ts';
import { HARDWARE } from './patched-hardware.ts';
import { residentMegabytes, untilIdle } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';

const SIZES = { quick: [1000, 10_000], whole: [1000, 10_000, 100_000] } as const;
/** Requests of each kind that differ. They are sent again and again. */
const ROUNDS = 1000;
const HOST = '127.0.0.1';
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
  const requests = requestsOf(count);
  const lower = (name: string, { value, unit, goal }: { value: number; unit: string; goal: Goal }): Row =>
    rowOf({ name: `${count.toLocaleString('en-US')} Hardware: ${name}`, value, unit, better: 'lower', goal });
  const ofLargest = (value: number): Goal => (count === LARGEST ? { value } : WATCHED);
  const rows = [
    lower('start', { value: server.readySeconds, unit: 's', goal: ofLargest(GOALS.startSeconds) }),
    lower('memory', { value: megabytes, unit: 'MB', goal: ofLargest(GOALS.megabytes) }),
  ];
  for (const [name, texts] of Object.entries(requests)) {
    const { p50Milliseconds: value } = await loadOf(context, server, texts);
    rows.push(lower(`${name}, median`, { value, unit: 'ms', goal: WATCHED }));
  }
  const listing = listForever(server.url);
  for (const [name, texts] of Object.entries(requests)) {
    const { p99Milliseconds: value } = await loadOf(context, server, texts);
    const goal = ofLargest(GOALS.otherMs);
    rows.push(lower(`${name} while a client lists, 99 of 100`, { value, unit: 'ms', goal }));
  }
  await listing.stop();
  await server.stop();
  return rows;
}

/** The doctor looks at each machine once after a start, which takes it 40 s here. Only then is the server quiet, and returns the memory of its start. */
function untilChecked(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Requests of each kind, each for another machine. */
function requestsOf(count: number): Readonly<Record<string, readonly string[]>> {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => ({ round, machine: (round * 7919) % count }));
  const get = (path: string): string => requestText({ host: HOST, path });
  return {
    'a page of 500': [get(`${HARDWARE}?limit=500`)],
    'one Hardware': rounds.map(({ machine }) => get(`${HARDWARE}/machine-${machine}`)),
    'an iPXE script': rounds.map(({ machine }) => get(`/ipxe/script/${addressesOf(machine).mac}/auto.ipxe`)),
    'a change': rounds.map(({ round }) => {
      const body = { metadata: { annotations: { round: String(round) } } };
      return patchText({ host: HOST, path: `${HARDWARE}/machine-1`, body });
    }),
  };
}

/** One request at a time, from a process of its own. The client that lists would delay them in the same one. */
async function loadOf(
  context: BenchContext,
  { url }: LoopbackServer,
  requests: readonly string[],
): Promise<LoadResult> {
  const plan = { host: HOST, port: Number(new URL(url).port), requests, connections: 1 };
  const result = await httpLoad(context, { ...plan, seconds: context.quick ? 1 : 2 });
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
  return result;
}

async function got(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
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
