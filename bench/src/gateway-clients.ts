import { readFileSync } from 'node:fs';

import { EXPLAINS, rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { gatewayLoad } from './gateway-load.ts';
import {
  LIMIT_PER_SECOND,
  MINIMAL_GATEWAY,
  startGateways,
  startSite,
  type Gateways,
  type Subject,
} from './gateway-subjects.ts';
import { httpLoad, requestText } from './http-load.ts';
import { residentMegabytes } from './running-program.ts';

const LIMITED_CLIENTS = 500;
const LIMIT_GOAL_PERCENT = 2;
const READERS = { quick: 500, usual: 5000 } as const;
const READERS_GOAL_MB = 300;
/** After this time, a gateway that holds too much has ended connections. */
const READERS_WAIT_MS = { quick: 3000, usual: 30_000 } as const;

export const gatewayClientsBenchmark: Benchmark = {
  name: 'gateway-clients',
  summary: `the gateway with a limit under ${LIMITED_CLIENTS} clients, and with ${READERS.usual} slow readers; beside nginx and HAProxy`,
  async run(context) {
    const subjects = await startGateways(context, await startSite(context));
    return [await limitRow(context, subjects), ...(await readerRows(context, subjects))];
  },
};

/** Requests twice the limit, and measures how far the accepted requests are from a burst and the rate. */
async function limitRow(context: BenchContext, subjects: Pick<Gateways, 'ours' | 'nginx'>): Promise<Row> {
  const offBy = async ({ limitedPort: port }: Subject): Promise<number> => {
    const result = await httpLoad(context, {
      host: '127.0.0.1',
      port,
      requests: [requestText({ host: 'a', path: '/' })],
      connections: LIMITED_CLIENTS,
      seconds: context.quick ? 4 : 10,
      rate: 2 * LIMIT_PER_SECOND,
    });
    const wanted = LIMIT_PER_SECOND * (1 + result.seconds);
    return (Math.abs(result.requests - result.failures - wanted) / wanted) * 100;
  };
  return rowOf({
    name: `limit of ${LIMIT_PER_SECOND}/s with ${LIMITED_CLIENTS} clients: off by`,
    value: await offBy(subjects.ours),
    unit: '%',
    better: 'lower',
    peer: { name: 'nginx', value: await offBy(subjects.nginx) },
    goal: { value: LIMIT_GOAL_PERCENT },
  });
}

interface Read {
  readonly megabytes: number;
  /** The readers that are still connected. */
  readonly connected: number;
}

async function readerRows(context: BenchContext, subjects: Gateways): Promise<readonly Row[]> {
  const size = context.quick ? 'quick' : 'usual';
  const count = READERS[size];
  const waitMs = READERS_WAIT_MS[size];
  const read = async ({ httpPort: port, pid }: Subject): Promise<Read> => {
    const before = residentMegabytes(pid);
    const load = await gatewayLoad<number>(context, { kind: 'readers', port, count });
    if (load.answer !== count) throw new Error(`${load.answer} of ${count} readers began`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const after = residentMegabytes(pid);
    const connected = connectionsOf(port);
    context.say(`${connected} of ${count} readers: from ${before.toFixed(0)} to ${after.toFixed(0)} MB`);
    await load.stop();
    return { megabytes: Math.max(0.1, after - before), connected };
  };
  const [ours, nginx, haproxy, minimal] = [
    await read(subjects.ours),
    await read(subjects.nginx),
    await read(subjects.haproxy),
    await read(subjects.minimal),
  ];
  const floor = { name: MINIMAL_GATEWAY, value: minimal.megabytes };
  const name = `memory for ${count} readers that read nothing`;
  const row = { name, value: ours.megabytes, unit: 'MB', better: 'lower' } as const;
  return [
    rowOf({ ...row, peer: { name: 'nginx', value: nginx.megabytes }, goal: EXPLAINS }),
    rowOf({
      ...row,
      peer: { name: 'HAProxy', value: haproxy.megabytes },
      floor,
      goal: { value: READERS_GOAL_MB },
    }),
    rowOf({
      name: `the same: readers still connected after ${waitMs / 1000} s`,
      value: ours.connected,
      unit: '',
      better: 'higher',
      peer: { name: 'HAProxy', value: haproxy.connected },
      goal: { value: count },
    }),
  ];
}

/** The established connections of this port on loopback, see proc_net_tcp(5). */
function connectionsOf(port: number): number {
  const at = port.toString(16).toUpperCase().padStart(4, '0');
  const established = new RegExp(`^\\s*\\d+: [0-9A-F]{8}:${at} \\S+ 01 `);
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return lines.filter((line) => established.test(line)).length;
}
