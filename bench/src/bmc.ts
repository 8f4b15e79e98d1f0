/** BMC control: the power state of a thousand BMCs, the overhead of a power Job, and one IPMI command beside ipmitool. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIpmiDriver } from '@tinkerbell/engine-bmc';
import { nodeClock, nodeRandom, nodeUdp, nodeUdp6 } from '@tinkerbell/platform-node';
import { bmcAddress } from './bmc-address.ts';
import { consoleRows, type Rack } from './bmc-consoles.ts';
import { create, machineOf, secretOf } from './bmc-objects.ts';
import { EXPLAINS, rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { alternate, median } from './rounds.ts';
import { needProgram, processorSeconds, startProgram, untilReady } from './running-program.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';

const PASSWORD = 'bench-bmc';
const RACK = fileURLToPath(new URL('./bmc-rack.ts', import.meta.url));
/** Discard: nobody answers. */
const DEAD_PORT = 9;
const ALL_READ_SECONDS_GOAL = 60;
const JOB_MS_GOAL = 100;
const GROUP = '/apis/bmc.tinkerbell.org/v1alpha1/namespaces/default';
const POLL_MS = 100;

export const bmcBenchmark: Benchmark = {
  name: 'bmc',
  summary:
    'power state of 1,000 BMCs on one core, while 100 of them do not answer; a power Job; IPMI session and command beside ipmitool; 200 serial consoles',
  async run(context) {
    needProgram('ipmitool', 'taskset');
    const [alive, dead] = context.quick ? [90, 10] : [900, 100];
    const started = await startRack(context, alive);
    const { ports } = started;
    const server = await startOnLoopback(context, {
      dataDirectory: join(context.directory, 'bmc'),
      prefix: ['taskset', '-c', '0'],
    });
    const all = [...ports, ...Array.from({ length: dead }, () => DEAD_PORT)];
    const read = await readAll(context, server, all);
    const rows = [...read, await jobRow(context, server), await commandRow(context, ports[0] ?? 0)];
    await server.stop();
    return [...rows, ...(await consoleRows(context, started))];
  },
};

async function startRack(context: BenchContext, count: number): Promise<Rack> {
  const rack = startProgram(context, {
    command: [
      'taskset',
      '-c',
      '1',
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      RACK,
      String(count),
      PASSWORD,
    ],
  });
  await untilReady(rack, () => rack.output().includes(']'), 60);
  return {
    rack,
    password: PASSWORD,
    ports: JSON.parse(rack.output().slice(rack.output().indexOf('['))) as number[],
  };
}

/** From the last Machine's creation until each has a power state or a reason. */
async function readAll(
  context: BenchContext,
  server: LoopbackServer,
  ports: readonly number[],
): Promise<readonly Row[]> {
  await create(server, '/api/v1/namespaces/default/secrets', secretOf(PASSWORD));
  context.say(`creating ${ports.length} Machines`);
  const usedBefore = processorSeconds(server.pid);
  const startedMs = performance.now();
  for (const [number, port] of ports.entries())
    await create(server, `${GROUP}/machines`, machineOf(number, port));
  let onMs = 0;
  let failedMs = 0;
  for (;;) {
    const { alive, dead } = await countOf(server);
    if (onMs === 0 && alive === ports.filter((port) => port !== DEAD_PORT).length) onMs = performance.now();
    if (onMs > 0 && alive + dead === ports.length) {
      failedMs = performance.now();
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const used = processorSeconds(server.pid) - usedBefore;
  const seconds = (name: string, value: number) => ({ name, value, unit: 's', better: 'lower' }) as const;
  return [
    rowOf({
      ...seconds(
        `${ports.length} Machines created, and the power state of all that answer`,
        (onMs - startedMs) / 1000,
      ),
      goal: { value: ALL_READ_SECONDS_GOAL },
    }),
    rowOf({
      ...seconds('the same, until those that do not answer are reported', (failedMs - startedMs) / 1000),
      goal: { none: 'time-outs of the protocol' },
    }),
    rowOf({
      name: 'processor time of the server for each Machine, its creation included',
      value: (used / ports.length) * 1000,
      unit: 'ms',
      better: 'lower',
      goal: EXPLAINS,
    }),
  ];
}

interface StoredMachine {
  readonly status?: {
    readonly powerState?: string;
    readonly conditions?: readonly { readonly status: string }[];
  };
}

async function countOf(server: LoopbackServer): Promise<{ readonly alive: number; readonly dead: number }> {
  const { items } = (await (await fetch(`${server.url}${GROUP}/machines`)).json()) as {
    items: readonly StoredMachine[];
  };
  const alive = items.filter(
    ({ status }) => status?.powerState === 'on' || status?.powerState === 'off',
  ).length;
  const dead = items.filter(({ status }) => status?.conditions?.[0]?.status === 'False').length;
  return { alive, dead };
}

/** A BMC that acts at once: what remains is the server's own time. */
async function jobRow(context: BenchContext, server: LoopbackServer): Promise<Row> {
  const jobs = context.quick ? 6 : 40;
  const times: number[] = [];
  for (let number = 0; number < jobs; number += 1) {
    const startedMs = performance.now();
    await create(server, `${GROUP}/jobs`, {
      apiVersion: 'bmc.tinkerbell.org/v1alpha1',
      kind: 'Job',
      metadata: { name: `job-${number}` },
      spec: {
        machineRef: { name: 'bmc-0', namespace: 'default' },
        tasks: [{ powerAction: number % 2 === 0 ? 'on' : 'off' }],
      },
    });
    await untilCompleted(server, `${GROUP}/jobs/job-${number}`);
    times.push(performance.now() - startedMs);
  }
  return rowOf({
    name: 'a power Job, from its creation to Completed, with a BMC that acts at once',
    value: median(times),
    unit: 'ms',
    better: 'lower',
    goal: { value: JOB_MS_GOAL },
  });
}

async function untilCompleted(server: LoopbackServer, path: string): Promise<void> {
  for (;;) {
    const job = (await (await fetch(server.url + path)).json()) as {
      status?: { conditions?: readonly { type: string; message?: string }[] };
    };
    const ended = job.status?.conditions?.find(({ type }) => type === 'Completed' || type === 'Failed');
    if (ended?.type === 'Completed') return;
    if (ended !== undefined) throw new Error(`the Job failed: ${ended.message ?? ''}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** One login and one command: for ipmitool a process, for ours a session of the driver. */
async function commandRow(context: BenchContext, port: number): Promise<Row> {
  const driver = createIpmiDriver({ clock: nodeClock, random: nodeRandom, udp: nodeUdp, udp6: nodeUdp6 });
  const target = {
    host: bmcAddress(0),
    credentials: { username: 'admin', password: PASSWORD },
    trust: { kind: 'any' } as const,
    timeoutMs: 10_000,
  };
  const ours = async (): Promise<number> => {
    const startedMs = performance.now();
    await using session = await driver.open(
      target,
      { port, cipherSuite: '17' },
      new AbortController().signal,
    );
    await session.powerState();
    return performance.now() - startedMs;
  };
  const words = [
    '-I',
    'lanplus',
    '-C',
    '17',
    '-H',
    bmcAddress(0),
    '-p',
    String(port),
    '-U',
    'admin',
    '-P',
    PASSWORD,
  ];
  const theirs = (): Promise<number> => {
    const startedMs = performance.now();
    const { status, stderr } = spawnSync('ipmitool', [...words, 'chassis', 'power', 'status'], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`ipmitool: ${stderr}`);
    return Promise.resolve(performance.now() - startedMs);
  };
  const times = await alternate(context.quick ? 5 : 31, { ours, ipmitool: theirs });
  return rowOf({
    name: 'IPMI login (suite 17), power state and logout',
    value: median(times.ours),
    unit: 'ms',
    better: 'lower',
    peer: { name: 'ipmitool, with its start', value: median(times.ipmitool) },
    goal: { ratio: 1 },
  });
}
