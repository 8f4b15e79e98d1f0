/** The sites that `scale` compares: their servers, and what each is compared with. */
import { join } from 'node:path';
import { startPostgres } from '@tinkerbell/sandbox/postgres';

import { createMany } from './api-client.ts';
import { MACHINES } from './api.ts';
import type { BenchContext } from './benchmark.ts';
import { SERVER_PROCESSOR } from './http-load.ts';
import { hardwareOf } from './machines.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

/** The load has the second one of them, which these servers share with it. */
const BOTH_PROCESSORS = ['taskset', '-c', '0,1'] as const;
const CREATE_CONCURRENCY = 32;

export interface Site {
  readonly name: string;
  /** The name of the first site of its kind, with which the others are compared. */
  readonly first: string;
  readonly urls: readonly string[];
}

interface SiteOptions extends Pick<Site, 'name' | 'first'> {
  readonly servers: number;
  readonly processors: readonly string[];
  /** The URL of its database (default: a SQLite file). */
  readonly database?: string;
}

/** Starts all sites, each with its own Hardware. They are idle while another one is measured. */
export async function startSites(context: BenchContext): Promise<readonly Site[]> {
  const postgres = context.scope.use(await startPostgres({ fsync: true }));
  const sqlite = { first: 'SQLite, one server, one processor', servers: 1 };
  const shared = { first: 'PostgreSQL, one server', processors: BOTH_PROCESSORS };
  const plans: readonly SiteOptions[] = [
    { ...sqlite, name: sqlite.first, processors: SERVER_PROCESSOR },
    { ...sqlite, name: 'SQLite, one server, two processors', processors: BOTH_PROCESSORS },
    { ...shared, name: shared.first, servers: 1, database: await postgres.database('one') },
    { ...shared, name: 'PostgreSQL, two servers', servers: 2, database: await postgres.database('two') },
    { ...shared, name: 'PostgreSQL, three servers', servers: 3, database: await postgres.database('three') },
  ];
  const sites: Site[] = [];
  for (const plan of plans) sites.push(await startSite(context, plan));
  return sites;
}

/** The first server stores the Hardware before the others start, so that all of them know it. */
async function startSite(context: BenchContext, options: SiteOptions): Promise<Site> {
  const { name, first, servers, processors, database } = options;
  context.say(`starting ${name}`);
  const urls: string[] = [];
  for (let number = 1; number <= servers; number += 1) {
    const { url } = await startOnLoopback(context, {
      dataDirectory: join(context.directory, `${name}, number ${number}`.replaceAll(/\W+/g, '-')),
      prefix: processors,
      ...(database === undefined
        ? {}
        : { flags: ['--store=postgres'], environment: { TINKERBELL_POSTGRES_URL: database } }),
    });
    urls.push(url);
    if (number > 1) continue;
    await createMany(url, { count: MACHINES, concurrency: CREATE_CONCURRENCY }, hardwareOf);
  }
  return { name, first, urls };
}
