import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { processorSeconds, residentMegabytes } from '../running-program.ts';
import { startOnLoopback, type ServerOptions } from '../tinkerbell-server.ts';
import { createWorkflows } from '../workflow-objects.ts';
import type { Operation, StartOperations } from './operation.ts';
import { siteOf } from './site.ts';

const OBJECTS = 10_000;
const SETTLE_MS = 5000;

/** Each round starts servers, so that no server runs between the rounds. */
export const startServerOperations: StartOperations = async (context, checkout) => {
  const dataDirectory = await siteOf(context, checkout, OBJECTS);
  const first = await startOnLoopback(context, { dataDirectory, checkout });
  await createWorkflows(first.url, { name: 'start', template: 'ten', count: OBJECTS });
  await first.stop();
  let colds = 0;
  const full = { dataDirectory, checkout };
  const started = async (
    options: Omit<ServerOptions, 'flags' | 'network'>,
    valueOf: (server: { readonly pid: number; readonly readySeconds: number }) => number | Promise<number>,
  ): Promise<number> => {
    const server = await startOnLoopback(context, options);
    const value = await valueOf(server);
    await server.stop();
    return value;
  };
  const empty = (cache: string) => {
    const temporary = join(context.directory, cache);
    mkdirSync(temporary, { recursive: true });
    return { dataDirectory: join(context.directory, 'empty'), checkout, environment: { TMPDIR: temporary } };
  };
  const ready = ({ readySeconds }: { readonly readySeconds: number }) => readySeconds;
  const processor = ({ pid }: { readonly pid: number }) => processorSeconds(pid);
  const settled = async ({ pid }: { readonly pid: number }) => {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return residentMegabytes(pid);
  };
  const cold = (): string => `cold-${(colds += 1)}`;
  const lower = (name: string, unit: string, measure: () => Promise<number>): Operation => ({
    name,
    unit,
    measure,
  });
  const site = '10,000 Hardware and Workflows';
  return [
    lower('start, warm compile cache', 's', () => started(empty('warm'), ready)),
    lower('start, warm compile cache: processor time', 's', () => started(empty('warm'), processor)),
    lower('start, cold compile cache', 's', () => started(empty(cold()), ready)),
    lower('start, cold compile cache: processor time', 's', () => started(empty(cold()), processor)),
    lower('resident memory, idle', 'MB', () => started(empty('warm'), settled)),
    lower(`start with ${site}`, 's', () => started(full, ready)),
    lower(`start with ${site}: processor time`, 's', () => started(full, processor)),
    lower(`resident memory with ${site}`, 'MB', () => started(full, settled)),
  ];
};
