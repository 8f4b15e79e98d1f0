/** Runs HTTP load in a separate process. `http-load-client.ts` defines what it measures. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import type { BenchContext } from './benchmark.ts';
import type { LoadPlan, LoadResult } from './http-load-client.ts';
import { startProgram, type RunningProgram } from './running-program.ts';

const CLIENT = fileURLToPath(new URL('http-load-client.ts', import.meta.url));

/** The processors of a measurement on one core: the server has the first, the load the second where there is one. */
export const SERVER_PROCESSOR = ['taskset', '-c', '0'] as const;
const LOAD_PROCESSOR = availableParallelism() > 1 ? ['taskset', '-c', '1'] : [];

/** @throws Error when the load cannot connect. */
export async function httpLoad(context: Pick<BenchContext, 'scope'>, plan: LoadPlan): Promise<LoadResult> {
  const [result] = await httpLoads(context, [plan]);
  if (result === undefined) throw new Error('the load has no result');
  return result;
}

/** Runs loads that begin together, each in a process of its own. @throws Error when one cannot connect. */
export async function httpLoads(
  context: Pick<BenchContext, 'scope'>,
  plans: readonly LoadPlan[],
): Promise<readonly LoadResult[]> {
  const loads = plans.map((plan) => {
    const [first, ...rest] = [...LOAD_PROCESSOR, process.execPath, CLIENT];
    const load = startProgram(context, { command: [first, ...rest], channel: true });
    load.process.send(plan);
    return load;
  });
  await Promise.all(loads.map(nextMessage));
  const results = loads.map(nextMessage);
  for (const load of loads) load.process.send('begin');
  return (await Promise.all(results)) as LoadResult[];
}

function nextMessage(load: RunningProgram): Promise<unknown> {
  return new Promise((resolve, reject) => {
    load.process.once('message', resolve);
    void load.ended.then((code) => reject(new Error(`the load ended with ${code}: ${load.output()}`)));
  });
}

export interface RequestOptions {
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a GET request as bytes. */
export function requestText({ host, path, headers = {} }: RequestOptions): string {
  const lines = Object.entries({ host, accept: '*/*', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Returns a JSON merge patch request as bytes. */
export function patchText({ host, path, body }: { host: string; path: string; body: object }): string {
  const text = JSON.stringify(body);
  const head = [
    `PATCH ${path} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/merge-patch+json',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
