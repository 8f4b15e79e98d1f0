/** What good clients wait while hostile ones use the same server, beside what they wait without them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tinkerbell/sandbox/free-port';

import { runOnce } from './action-rows.ts';
import { statusUpdates } from './api.ts';
import {
  EXPLAINS,
  rowOf,
  type BenchContext,
  type Benchmark,
  type Measurement,
  type Row,
} from './benchmark.ts';
import { makeCertificate } from './certificate.ts';
import { startDhcpServer } from './dhcp-subjects.ts';
import {
  MINIMAL_GATEWAY,
  startHaproxy,
  startMinimalGateway,
  startOurGateway,
  startSite,
  type Subject,
} from './gateway-subjects.ts';
import { called, planOf } from './gateway.ts';
import { httpLoad, requestText } from './http-load.ts';
import { addressesOf } from './machines.ts';
import { metadataRequest } from './metadata.ts';
import { offerDelays } from './perfdhcp.ts';
import { alternate, median, quantile } from './rounds.ts';
import { mustRun, startProgram, untilReady, type ProgramOptions } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startOnLoopback } from './tinkerbell-server.ts';
import { createSite } from './workflow-objects.ts';

const HOSTILE_CLIENTS = 100;
const HOSTILE_PACKETS_PER_SECOND = 20;
const HARDWARE = 10_000;
const CONNECTIONS = 64;
const RATES = { updates: 1000, others: 2000, calls: 1000, offers: 2000, transitions: 1000 } as const;
/** More than the buffers of a connection hold. */
const LARGE_BYTES = 64 * 1024 ** 2;
const HOT_BYTES = 1024;
/** A slow sync of the disk or a collection of garbage, which a round may have or not, decides about its slowest hundredth. */
const ROUNDS = { quick: 1, whole: 5 } as const;
/** At most twice what they wait alone. */
const RATIO_GOAL = 0.5;
/**
 * Hostile clients stand for other machines. The server has a processor of its own. The good clients share the other one with them, and
 * have it whenever they need it: what they wait for a processor is not the server's.
 */
const AS_ANOTHER_MACHINE = ['chrt', '--idle', '0', 'taskset', '-c', '1'] as const;
const CLIENTS_PROGRAM = fileURLToPath(new URL('hostile-clients-program.ts', import.meta.url));
const PACKETS_PROGRAM = fileURLToPath(new URL('hostile-packets-program.ts', import.meta.url));

export const hostileBenchmark: Benchmark = {
  name: 'hostile',
  summary: `what good clients wait beside ${HOSTILE_CLIENTS} hostile ones; beside the same without them`,
  async run(context) {
    return [
      ...(await webRows(context)),
      ...(await callRows(context)),
      await reportRow(context),
      await offerRow(context),
    ];
  },
};

interface Attacked {
  readonly name: string;
  /** Starts the hostile clients. */
  readonly hostile: ProgramOptions;
  /** Of the server. */
  readonly pid: number;
  /** Milliseconds, 99 of 100. @throws Error when a good client got no answer. */
  readonly p99: () => Promise<number>;
}

/** Milliseconds, 99 of 100, the median of the rounds. */
interface Delays {
  readonly alone: number;
  readonly beside: number;
}

async function delaysOf(context: BenchContext, { name, hostile, pid, p99 }: Attacked): Promise<Delays> {
  context.say(name);
  await mustRun(context, { command: ['taskset', '--all-tasks', '--cpu-list', '--pid', '0', String(pid)] });
  const beside = async (): Promise<number> => {
    const clients = startProgram(context, hostile);
    await untilReady(clients, () => clients.output().includes('ready'));
    const milliseconds = await p99();
    await clients.stop();
    return milliseconds;
  };
  // A server runs for months. In the first seconds of each, V8 compiles what they need.
  await p99();
  await beside();
  const found = await alternate(context.quick ? ROUNDS.quick : ROUNDS.whole, { alone: p99, beside });
  return { alone: median(found.alone), beside: median(found.beside) };
}

/** The first column is with hostile clients, and the second one without them. */
function delayRow(
  name: string,
  { alone, beside }: Delays,
  { goal = { ratio: RATIO_GOAL }, floor }: Partial<Pick<Measurement, 'goal' | 'floor'>> = {},
): Row {
  return rowOf({
    name: `${name}: 99 of 100`,
    value: beside,
    unit: 'ms',
    better: 'lower',
    peer: { name: 'without them', value: alone },
    floor,
    goal,
  });
}

async function hostileRow(context: BenchContext, attacked: Attacked): Promise<Row> {
  return delayRow(attacked.name, await delaysOf(context, attacked));
}

interface Ports {
  readonly http: number;
  readonly http2: number;
  readonly tls: number;
}

function hostileClients({ http, http2, tls }: Ports): ProgramOptions {
  const numbers = [HOSTILE_CLIENTS, http, http2, tls].map(String);
  return { command: [...AS_ANOTHER_MACHINE, process.execPath, CLIENTS_PROGRAM, ...numbers] };
}

async function webRows(context: BenchContext): Promise<readonly Row[]> {
  const [dataDirectory, images] = [join(context.directory, 'web'), join(context.directory, 'images')];
  for (const directory of [dataDirectory, images]) mkdirSync(directory);
  writeFileSync(join(images, 'large.img'), Buffer.alloc(LARGE_BYTES));
  writeFileSync(join(images, 'hot.txt'), 'x'.repeat(HOT_BYTES));
  context.say(`storing ${HARDWARE} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), HARDWARE);
  const { certFile, keyFile } = await makeCertificate(context);
  const tls = await freePort();
  const own = [`--https-port=${tls}`, `--tls-cert-file=${certFile}`, `--tls-key-file=${keyFile}`];
  const flags = [`--images-dir=${images}`, '--trusted-proxies=127.0.0.1/32', ...own];
  const server = await startOnLoopback(context, { dataDirectory, flags });
  const { hostname, host, port } = new URL(server.url);
  const hostile = hostileClients({ http: Number(port), http2: portOf(server.grpcAddress), tls });
  const each = (requestOf: (index: number) => string) =>
    Array.from({ length: HARDWARE }, (_, index) => requestOf(index));
  const loads = [
    ['status updates', statusUpdates(host), RATES.updates],
    ['iPXE scripts', each((index) => requestText({ host, path: scriptPath(index) })), RATES.others],
    ['metadata', each((index) => metadataRequest(host, index, HARDWARE)), RATES.others],
    ['hot file of 1 KB', [requestText({ host, path: '/images/hot.txt' })], RATES.others],
  ] as const;
  const rows: Row[] = [];
  for (const [what, requests, rate] of loads) {
    const plan = {
      host: hostname,
      port: Number(port),
      requests,
      rate,
      sleeps: true,
      connections: CONNECTIONS,
    };
    const p99 = () => webDelay(context, { ...plan, seconds: context.quick ? 2 : 5 });
    rows.push(await hostileRow(context, { name: `${what} at ${rate}/s`, hostile, pid: server.pid, p99 }));
  }
  await server.stop();
  return rows;
}

function scriptPath(index: number): string {
  return `/ipxe/script/${addressesOf((index * 7919) % HARDWARE).mac}/auto.ipxe`;
}

function portOf(authority: string): number {
  return Number(authority.split(':').at(-1));
}

async function webDelay(context: BenchContext, plan: Parameters<typeof httpLoad>[1]): Promise<number> {
  const { failures, requests, p99Milliseconds } = await httpLoad(context, plan);
  if (failures > 0) throw new Error(`${failures} of ${requests} answers were not 200`);
  return p99Milliseconds;
}

async function callRows(context: BenchContext): Promise<readonly Row[]> {
  // Only hostile clients use this upstream, which stands for another machine like them.
  const site = await startSite(context, AS_ANOTHER_MACHINE);
  const pace = { perSecond: RATES.calls, seconds: context.quick ? 2 : 5 };
  const delays = (name: string, subject: Subject): Promise<Delays> =>
    delaysOf(context, {
      name: `gRPC through ${name} at ${RATES.calls}/s`,
      hostile: hostileClients({ http: subject.httpPort, http2: subject.httpPort, tls: subject.grpcPort }),
      pid: subject.pid,
      p99: async () => (await called(context, { ...pace, ...planOf(subject, site) })).p99Milliseconds,
    });
  const ours = await delays('the gateway', await startOurGateway(context, site));
  const minimal = await delays('a minimal program', await startMinimalGateway(context, site));
  const haproxy = await delays('HAProxy', await startHaproxy(context, site));
  const name = `gRPC through the gateway at ${RATES.calls}/s`;
  return [
    delayRow(name, ours, { floor: { name: MINIMAL_GATEWAY, value: minimal.beside } }),
    delayRow(`${name}, HAProxy instead of ours`, haproxy, { goal: EXPLAINS }),
  ];
}

async function reportRow(context: BenchContext): Promise<Row> {
  const agents = context.quick ? 100 : 300;
  const server = await startOnLoopback(context, { dataDirectory: join(context.directory, 'reports') });
  await createSite(server.url, agents);
  const http = Number(new URL(server.url).port);
  const actionMs = (agents * 3 * 1000) / RATES.transitions;
  let round = 0;
  const row = await hostileRow(context, {
    name: `report to next action at ${RATES.transitions} transitions/s`,
    hostile: hostileClients({ http, http2: portOf(server.grpcAddress), tls: http }),
    pid: server.pid,
    p99: async () => {
      round += 1;
      const load = { server, protocol: 'sessions', agents } as const;
      const { nextActionMs } = await runOnce(context, load, { phase: `hostile-${round}`, actionMs });
      return quantile(nextActionMs, 0.99);
    },
  });
  await server.stop();
  return row;
}

/** The hostile ones send packets of machines that do not exist, of one machine again and again, and damaged ones. */
async function offerRow(context: BenchContext): Promise<Row> {
  const subject = await startDhcpServer(context);
  const { serverAddress, client } = subject.link;
  const numbers = [HOSTILE_CLIENTS, HOSTILE_PACKETS_PER_SECOND].map(String);
  return await hostileRow(context, {
    name: `DISCOVER to OFFER at ${RATES.offers}/s`,
    hostile: {
      command: [...AS_ANOTHER_MACHINE, process.execPath, PACKETS_PROGRAM, serverAddress, ...numbers],
      network: client,
    },
    pid: subject.program.pid,
    p99: async () => (await offerDelays(context, subject, RATES.offers)).offerP99Milliseconds,
  });
}
