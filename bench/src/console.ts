/** The web console with 10,000 machines: how soon it is usable, how smooth it is, and what many open ones cost. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { WATCHED, rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { flood, label, steadyChanges } from './console/changes.ts';
import { firstLoad, heapMegabytes, openChromium } from './console/measured-page.ts';
import { scrollRows } from './console/scroll-rows.ts';
import { signedIn, type Site } from './console/signed-in.ts';
import { HARDWARE } from './patched-hardware.ts';
import { median, quantile } from './rounds.ts';
import { processorSeconds, residentMegabytes } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';
import { openWatchers } from './watchers.ts';

/** The Machines page watches these. */
const COLLECTIONS = [
  HARDWARE,
  '/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows',
  '/apis/bmc.tinkerbell.org/v1alpha1/namespaces/default/machines',
];
const CONSOLES = 200;
const CHANGES_A_SECOND = 10;
/** A busy site changes a machine every 2 s. */
const CHANGES_OF_EIGHT_HOURS = 14_400;
const WRITERS = 8;
const SETTLE_MS = 3000;

export const consoleBenchmark: Benchmark = {
  name: 'console',
  summary:
    'the web console with 10,000 machines in Chromium: loading, changes, scrolling, memory; 200 open consoles',
  async run(context) {
    const machines = context.quick ? 1000 : 10_000;
    const dataDirectory = join(context.directory, 'console');
    mkdirSync(dataDirectory);
    await storeHardware(join(dataDirectory, 'tinkerbell.db'), machines);
    const server = await startOnLoopback(context, { dataDirectory, flags: ['--dhcp-enabled=false'] });
    const site = { browser: await openChromium(context), url: server.url, dataDirectory };
    const rows = await loadRows(context, { ...site, machines });
    const page = await openMachines(site, machines);
    rows.push(...(await changeRows(context, { page, url: server.url })));
    rows.push(...(await scrollRows(context, site.browser, page)));
    rows.push(await heapRow(context, { page, url: server.url, machines }));
    await page.context().close();
    rows.push(...(await manyRows(context, { server, machines })));
    return rows;
  },
};

interface Measured {
  readonly value: number;
  readonly unit: string;
  readonly goal?: number;
}

const lower = (name: string, { value, unit, goal }: Measured): Row =>
  rowOf({ name, value, unit, better: 'lower', goal: goal === undefined ? WATCHED : { value: goal } });

async function loadRows(
  context: BenchContext,
  { machines, ...site }: Site & { readonly machines: number },
): Promise<Row[]> {
  const rounds = context.quick ? 2 : 5;
  const loads = [];
  for (let round = 0; round <= rounds; round += 1) {
    context.say(`first load ${round}`);
    const load = await firstLoad(site, machines.toLocaleString('en-US'));
    // The first one starts the renderer, and fills the file cache.
    if (round > 0) loads.push(load);
  }
  return [
    lower('first load, gzip', { value: (loads[0]?.gzipBytes ?? 0) / 1000, unit: 'kB', goal: 150 }),
    lower(`first load until usable, ${machines} machines`, {
      value: median(loads.map(({ rowsMs }) => rowsMs)) / 1000,
      unit: 's',
      goal: 1,
    }),
    lower(`until all ${machines} machines are in the table`, {
      value: median(loads.map((one) => one.completeMs)) / 1000,
      unit: 's',
    }),
  ];
}

async function openMachines(site: Site, machines: number): Promise<Page> {
  const context = await signedIn(site, { viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${site.url}/console/machines`);
  const count = machines.toLocaleString('en-US');
  await page.locator('.count', { hasText: new RegExp(`^${count}$`) }).waitFor();
  return page;
}

interface Opened {
  readonly page: Page;
  readonly url: string;
}

/** From the request that changes a machine until the page shows it. */
async function changeRows(context: BenchContext, { page, url }: Opened): Promise<Row[]> {
  const delays: number[] = [];
  for (let round = 0; round < (context.quick ? 10 : 40); round += 1) {
    const value = `visible-${round}`;
    const startedMs = performance.now();
    const shown = page.getByText(`turn=${value}`).waitFor();
    await label(url, 0, value);
    await shown;
    delays.push(performance.now() - startedMs);
  }
  return [
    lower('a change is visible, median', { value: median(delays), unit: 'ms' }),
    lower('a change is visible, 95 of 100', { value: quantile(delays, 0.95), unit: 'ms', goal: 200 }),
  ];
}

/** The events of 8 hours, as fast as the server stores them. Before them, each machine changes once, because a label needs memory. */
async function heapRow(
  context: BenchContext,
  { page, url, machines }: Opened & { readonly machines: number },
): Promise<Row> {
  const changes = context.quick ? CHANGES_OF_EIGHT_HOURS / 10 : CHANGES_OF_EIGHT_HOURS;
  const session = await page.context().newCDPSession(page);
  await flood(url, { machines, changes: machines, atOnce: WRITERS });
  await pause();
  const before = await heapMegabytes(session);
  context.say(`${changes} changes, as in 8 hours`);
  await flood(url, { machines, changes, atOnce: WRITERS });
  await pause();
  const after = await heapMegabytes(session);
  context.say(`heap of the page: ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB`);
  return lower(`heap of a page grows during ${changes} changes`, {
    value: Math.max(0, after - before),
    unit: 'MB',
    goal: 3,
  });
}

async function manyRows(
  context: BenchContext,
  { server, machines }: { readonly server: LoopbackServer; readonly machines: number },
): Promise<Row[]> {
  await pause();
  const before = residentMegabytes(server.pid);
  for (const path of COLLECTIONS) await openWatchers(context, new URL(path, server.url), CONSOLES);
  const seconds = context.quick ? 5 : 20;
  const usedBefore = processorSeconds(server.pid);
  const startedMs = performance.now();
  await steadyChanges(server.url, { machines, rate: CHANGES_A_SECOND, seconds });
  const elapsed = (performance.now() - startedMs) / 1000;
  const percent = ((processorSeconds(server.pid) - usedBefore) * 100) / elapsed;
  const name = `${CONSOLES} open consoles, ${CHANGES_A_SECOND} changes a second`;
  return [
    lower(`${name}: processor time, of one core`, { value: percent, unit: '%', goal: 100 }),
    lower(`${name}: more memory of the server`, {
      value: Math.max(0, residentMegabytes(server.pid) - before),
      unit: 'MB',
      goal: 300,
    }),
  ];
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}
