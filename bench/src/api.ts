/**
 * Measures the API with one SQLite file: status updates beside etcd, pages of a long list, one change for
 * many watchers, and a start with many objects.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { startEtcd } from './etcd.ts';
import type { LoadPlan } from './http-load-client.ts';
import { httpLoad, patchText } from './http-load.ts';
import { MINIMAL_UPDATES, startMinimalUpdates } from './minimal-updates.ts';
import { alternate, median, quantile } from './rounds.ts';
import { residentMegabytes, untilIdle } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';
import { HARDWARE, patchMetadata } from './patched-hardware.ts';
import { openWatchers } from './watchers.ts';
import { createWorkflows, createSite } from './workflow-objects.ts';

export const WRITERS = 64;
/** The Hardware that status updates change: `machine-0` and on. */
export const MACHINES = 1000;
const UPDATES_GOAL = 10_000;
const ETCD_RATIO_GOAL = 1.5;
const PAGE_GOAL_MS = 30;
const WAIT_GOAL_MS = 30;
const FAN_OUT_GOAL_MS = 100;
const START_GOAL_SECONDS = 2;
const MEMORY_GOAL_MEGABYTES = 400;

export const apiBenchmark: Benchmark = {
  name: 'api',
  summary:
    'durable status updates beside etcd, pages of a list, watchers, start with 10,000 Hardware and Workflows',
  parts: { updates: async (context) => updateRows(context, await startWithHardware(context)) },
  async run(context) {
    const count = countOf(context);
    const server = await startWithHardware(context);
    const rows = await updateRows(context, server);
    rows.push(await pageRow(context, server, count), await waitRow(context, server, count));
    rows.push(await fanOutRow(context, server));
    await server.stop();
    rows.push(...(await startRows(context, count)));
    return rows;
  },
};

function countOf({ quick }: BenchContext): number {
  return quick ? 1000 : 10_000;
}

async function startWithHardware(context: BenchContext): Promise<LoopbackServer> {
  const dataDirectory = join(context.directory, 'data');
  mkdirSync(dataDirectory);
  context.say(`storing ${countOf(context)} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), countOf(context));
  return await startOnLoopback(context, { dataDirectory });
}

async function updateRows(context: BenchContext, server: LoopbackServer): Promise<Row[]> {
  const etcd = await startEtcd(context);
  const seconds = context.quick ? 3 : 10;
  const { hostname: host, port } = new URL(server.url);
  const plan = { host, port: Number(port), requests: statusUpdates(host), connections: WRITERS, seconds };
  await httpLoad(context, plan);
  const minimalUrl = await startMinimalUpdates(context, server.url);
  const minimalPlan = { ...plan, port: Number(new URL(minimalUrl).port) };
  await httpLoad(context, minimalPlan);
  const rates = await alternate(context.quick ? 1 : 3, {
    ours: () => updatesPerSecond(context, plan),
    minimal: () => updatesPerSecond(context, minimalPlan),
    etcd: () => etcd.putsPerSecond({ writers: WRITERS, seconds }),
  });
  const row = { value: median(rates.ours), unit: '/s', better: 'higher' } as const;
  const peer = { name: 'etcd', value: median(rates.etcd) };
  const floor = { name: MINIMAL_UPDATES, value: median(rates.minimal) };
  context.say(`updates a second: ${shown(rates.ours)} ours, ${shown(rates.minimal)} of a minimal program`);
  const name = `durable status updates, ${WRITERS} writers`;
  return [
    rowOf({ ...row, name, floor, goal: { value: UPDATES_GOAL } }),
    rowOf({ ...row, name: `${name}, beside puts of 1 KB`, peer, floor, goal: { ratio: ETCD_RATIO_GOAL } }),
  ];
}

function shown(rates: readonly number[]): string {
  return rates.map((rate) => Math.round(rate)).join(', ');
}

async function updatesPerSecond(context: BenchContext, plan: LoadPlan): Promise<number> {
  const result = await httpLoad(context, plan);
  if (result.failures > 0) throw new Error(`${result.failures} updates were refused`);
  return result.requests / result.seconds;
}

/** Returns requests that change the status of 1,000 Hardware, first all to one state and then to the other. */
export function statusUpdates(host: string, states = ['busy', 'idle']): string[] {
  return states.flatMap((state) =>
    Array.from({ length: MACHINES }, (_, index) =>
      patchText({ host, path: `${HARDWARE}/machine-${index}/status`, body: { status: { state } } }),
    ),
  );
}

async function pageRow(context: BenchContext, server: LoopbackServer, count: number): Promise<Row> {
  const milliseconds: number[] = [];
  for (let round = 0; round < (context.quick ? 50 : 200); round += 1) {
    const startedMs = performance.now();
    const response = await fetch(`${server.url}${HARDWARE}?limit=500`);
    const { items } = (await response.json()) as { readonly items: readonly object[] };
    milliseconds.push(performance.now() - startedMs);
    if (items.length !== 500) throw new Error(`a page of ${items.length}`);
  }
  return rowOf({
    name: `first 500 of ${count} Hardware, 95 of 100`,
    value: quantile(milliseconds, 0.95),
    unit: 'ms',
    better: 'lower',
    goal: { value: PAGE_GOAL_MS },
  });
}

/** How long other requests wait while lists search everything for a selector that matches nothing. */
async function waitRow(context: BenchContext, server: LoopbackServer, count: number): Promise<Row> {
  const milliseconds: number[] = [];
  for (let round = 0; round < (context.quick ? 3 : 10); round += 1) {
    const state = { isListing: true };
    const listing = fetch(`${server.url}${HARDWARE}?labelSelector=never%3Dthere`)
      .then((response) => response.json())
      .finally(() => {
        state.isListing = false;
      });
    while (state.isListing) {
      const startedMs = performance.now();
      const response = await fetch(`${server.url}${HARDWARE}/machine-1`);
      await response.arrayBuffer();
      milliseconds.push(performance.now() - startedMs);
    }
    await listing;
  }
  return rowOf({
    name: `one Hardware while a selector passes over ${count}, 95 of 100`,
    value: quantile(milliseconds, 0.95),
    unit: 'ms',
    better: 'lower',
    goal: { value: WAIT_GOAL_MS },
  });
}

async function fanOutRow(context: BenchContext, server: LoopbackServer): Promise<Row> {
  const watchers = await openWatchers(context, new URL(HARDWARE, server.url), 1000);
  const milliseconds: number[] = [];
  for (let round = 0; round < (context.quick ? 5 : 20); round += 1) {
    const seen = watchers.nextChange();
    const startedMs = performance.now();
    await patchMachine(server.url, round);
    await seen;
    milliseconds.push(performance.now() - startedMs);
  }
  watchers.close();
  return rowOf({
    name: 'one change seen by all of 1,000 watchers',
    value: median(milliseconds),
    unit: 'ms',
    better: 'lower',
    goal: { value: FAN_OUT_GOAL_MS },
  });
}

/** Changes an annotation of one Hardware. */
export function patchMachine(url: string, round: number): Promise<void> {
  return patchMetadata(url, 1, { annotations: { round: String(round) } });
}

async function startRows(context: BenchContext, count: number): Promise<Row[]> {
  const dataDirectory = join(context.directory, 'start');
  const first = await startOnLoopback(context, { dataDirectory });
  context.say(`creating ${count} Hardware and Workflows`);
  await createSite(first.url, count);
  await createWorkflows(first.url, { name: 'start', template: 'ten', count });
  await first.stop();
  const seconds: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const server = await startOnLoopback(context, { dataDirectory });
    seconds.push(server.readySeconds);
    await untilIdle(context);
    megabytes.push(residentMegabytes(server.pid));
    await server.stop();
  }
  const name = `${count} Hardware and Workflows`;
  return [
    rowOf({
      name: `start with ${name}`,
      value: median(seconds),
      unit: 's',
      better: 'lower',
      goal: { value: START_GOAL_SECONDS },
    }),
    rowOf({
      name: `memory with ${name}`,
      value: median(megabytes),
      unit: 'MB',
      better: 'lower',
      goal: { value: MEMORY_GOAL_MEGABYTES },
    }),
  ];
}
