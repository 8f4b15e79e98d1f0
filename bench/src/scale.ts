/**
 * Measures how far two processors carry the API: one server with SQLite on one and on both of them, and one, two
 * and three servers on one PostgreSQL.
 */
import { MACHINES, statusUpdates, WRITERS } from './api.ts';
import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { requestText } from './http-load.ts';
import { HARDWARE } from './patched-hardware.ts';
import { alternate, median } from './rounds.ts';
import { startSites, type Site } from './scale-sites.ts';
import { spreadLoad, type SpreadResult } from './spread-load.ts';

const HOST = '127.0.0.1';
const TIMES = {
  quick: { rounds: 1, seconds: 1, warmUpSeconds: 1 },
  whole: { rounds: 3, seconds: 4, warmUpSeconds: 2 },
} as const;

const EXPLAINS_CURVE = { none: 'explains the rows above' } as const;

interface Kind {
  readonly name: string;
  readonly connections: number;
  /** The requests of one round, one for each machine in their order, and that perhaps several times. */
  requestsOf(round: string): readonly string[];
}

const READS: Kind = {
  name: 'reads of one Hardware, 64 connections',
  connections: 64,
  requestsOf: () =>
    Array.from({ length: MACHINES }, (_, machine) =>
      requestText({ host: HOST, path: `${HARDWARE}/machine-${machine}` }),
    ),
};

const UPDATES: Kind = {
  name: `durable status updates, ${WRITERS} writers`,
  connections: WRITERS,
  // The server does not write a state that an object has already. These are new in each round.
  requestsOf: (round) => statusUpdates(HOST, [`busy-${round}`, `idle-${round}`]),
};

export const scaleBenchmark: Benchmark = {
  name: 'scale',
  summary: 'status updates and reads: a server on one and two processors, and up to three on one PostgreSQL',
  async run(context) {
    const sites = await startSites(context);
    const rows: Row[] = [];
    // PostgreSQL cleans up behind updates for a minute, which would disturb the reads.
    for (const kind of [READS, UPDATES]) rows.push(...(await rowsOf(context, sites, kind)));
    return rows;
  },
};

async function rowsOf(context: BenchContext, sites: readonly Site[], kind: Kind): Promise<readonly Row[]> {
  const { rounds, seconds, warmUpSeconds } = context.quick ? TIMES.quick : TIMES.whole;
  const measure = (site: Site, round: string, seconds: number): Promise<SpreadResult> =>
    spreadLoad(context, site.urls, {
      requests: kind.requestsOf(round),
      machines: MACHINES,
      connections: kind.connections,
      seconds,
    });
  for (const site of sites) await measure(site, 'first', warmUpSeconds);
  const results = await alternate(
    rounds,
    Object.fromEntries(
      sites.map((site) => [site.name, (round: number) => measure(site, String(round), seconds)]),
    ),
  );
  for (const [name, found] of Object.entries(results))
    context.say(
      `${kind.name}: ${name}: ${found.map(({ perSecond }) => Math.round(perSecond)).join(', ')} a second`,
    );
  return [
    ...sites.map((site) => rateRow(kind, site, results)),
    ...sites.filter(({ name, first }) => name === first).map((site) => busyRow(kind, site, results)),
    loadRow(kind, Object.values(results).flat()),
  ];
}

/** By the name of the site. */
type Results = Readonly<Record<string, readonly SpreadResult[]>>;

function rateRow(kind: Kind, site: Site, results: Results): Row {
  const rateOf = (name: string): number => median((results[name] ?? []).map(({ perSecond }) => perSecond));
  return rowOf({
    name: `${kind.name}: ${site.name}`,
    value: rateOf(site.name),
    unit: '/s',
    better: 'higher',
    peer: site.name === site.first ? undefined : { name: site.first, value: rateOf(site.first) },
    goal: { none: 'shows how far two processors carry it' },
  });
}

/** What the first site of its kind and its load leave for more servers. */
function busyRow(kind: Kind, { name }: Site, results: Results): Row {
  return rowOf({
    name: `${kind.name}: ${name}: processors busy`,
    value: median((results[name] ?? []).map(({ busyPercent }) => busyPercent)),
    unit: '%',
    better: 'lower',
    goal: EXPLAINS_CURVE,
  });
}

function loadRow(kind: Kind, results: readonly SpreadResult[]): Row {
  return rowOf({
    name: `${kind.name}: processor time of the load for each`,
    value: median(results.map(({ loadMicroseconds }) => loadMicroseconds)),
    unit: 'us',
    better: 'lower',
    goal: EXPLAINS_CURVE,
  });
}
