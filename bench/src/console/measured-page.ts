/** What is measured inside of a page of the web console, in Debian's Chromium. */
import { request } from 'node:http';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import type { BenchContext } from '../benchmark.ts';
import { needProgram } from '../running-program.ts';
import { signedIn, type Site } from './signed-in.ts';

/** Root cannot use Chromium's own sandbox. */
export async function openChromium(context: BenchContext): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: needProgram('chromium', 'chromium'),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  context.scope.defer(() => browser.close());
  return browser;
}

export interface FirstLoad {
  /** From the request of the page until the first rows are drawn. */
  readonly rowsMs: number;
  /** Until all machines are in the table. */
  readonly completeMs: number;
  /** What the server sends, each file compressed with gzip. */
  readonly gzipBytes: number;
}

/** Loads the page with an empty cache. `count` is the number of machines as the page writes it. */
export async function firstLoad(site: Site, count: string): Promise<FirstLoad> {
  const context = await signedIn(site);
  const page = await context.newPage();
  const files = new Set<string>();
  page.on('response', (response) => {
    if (/^(?:document|script|stylesheet)$/.test(response.request().resourceType())) files.add(response.url());
  });
  const startedMs = performance.now();
  await page.goto(`${site.url}/console/machines`, { waitUntil: 'commit' });
  await page.locator('tbody tr td').first().waitFor();
  const rowsMs = performance.now() - startedMs;
  const needed = [...files];
  await page.locator('.count', { hasText: new RegExp(`^${count}$`) }).waitFor();
  const completeMs = performance.now() - startedMs;
  const sizes = await Promise.all(needed.map(gzipBytesOf));
  await context.close();
  return { rowsMs, completeMs, gzipBytes: sizes.reduce((sum, one) => sum + one, 0) };
}

function gzipBytesOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve(bytes));
    })
      .on('error', reject)
      .end();
  });
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Runs `work`, and returns the most processor time that one task of a page took meanwhile, in milliseconds. */
export async function longestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: TraceEvent[];
  };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const mainThreads = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = trace.traceEvents.filter(
    (one) => one.ph === 'X' && one.name.endsWith('RunTask') && mainThreads.has(threadOf(one)),
  );
  if (tasks.length === 0) throw new Error('Chromium has traced no task of the page');
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1000;
}

/** Megabytes of the page's heap after a collection of its garbage. */
export async function heapMegabytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}
