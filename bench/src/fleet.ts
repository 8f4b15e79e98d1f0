import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetReport } from '@tinkerbell/sim/fleet';

import {
  EXPLAINS,
  WATCHED,
  rowOf,
  type BenchContext,
  type Benchmark,
  type Goal,
  type Row,
} from './benchmark.ts';
import { createNetwork, type NetworkNamespace } from './network-namespace.ts';
import { mustRun, runProgram } from './running-program.ts';
import { CHECKOUT, startTinkerbell } from './tinkerbell-server.ts';

const TINK_MAIN = join(CHECKOUT, 'apps/tink/src/main.mjs');
const SIZES = { quick: [50, 200], whole: [1000, 10_000] } as const;
/** As many in both runs, so that only the number of machines differs. */
const AT_ONCE = 1000;
/** The size of Debian's ipxe.efi is about three times that. */
const BOOT_FILE_BYTES = 300_000;
const ADDRESSES = '198.18.0.0/15';
const SERVER_ADDRESS = '127.0.0.1';
/** What a machine of the larger site may take, as a multiple of one of the smaller site. */
const GROWTH_MAX = 1.2;

interface Costs {
  readonly processorMs: number;
  readonly wallMs: number;
  readonly memoryKilobytes: number;
  readonly simulatorMs: number;
}

export const fleetBenchmark: Benchmark = {
  name: 'fleet',
  summary: `1,000 and 10,000 machines provisioned by tink simulate, ${AT_ONCE.toLocaleString('en-US')} at a time: DHCP, TFTP, script, agent with 3 actions, reboot`,
  async run(context) {
    const [small, large] = context.quick ? SIZES.quick : SIZES.whole;
    const first = await siteRows(context, small);
    const second = await siteRows(context, large);
    const growth = (name: string, cost: keyof Costs, goal: Goal): Row =>
      rowOf({
        name: `${name} per machine, ${large.toLocaleString('en-US')} to ${small.toLocaleString('en-US')}`,
        value: second.costs[cost] / first.costs[cost],
        unit: 'x',
        better: 'lower',
        goal,
      });
    return [
      ...first.rows,
      ...second.rows,
      growth('time', 'wallMs', { value: GROWTH_MAX }),
      growth('processor time of the server', 'processorMs', { value: GROWTH_MAX }),
      growth('memory of the server', 'memoryKilobytes', { value: GROWTH_MAX }),
    ];
  },
};

async function siteRows(
  context: BenchContext,
  machines: number,
): Promise<{ readonly rows: readonly Row[]; readonly costs: Costs }> {
  const network = await createNetwork(context);
  await mustRun(context, { command: ['ip', 'route', 'add', 'local', ADDRESSES, 'dev', 'lo'], network });
  const report = await provisioned(context, { network, machines });
  const { server, simulator, seconds, provisioned: done, steps } = report;
  if (server === undefined) throw new Error('the server does not report its memory and processor time');
  const costs = {
    processorMs: (1000 * server.processorSeconds) / machines,
    wallMs: (1000 * seconds) / machines,
    simulatorMs: (1000 * simulator.processorSeconds) / machines,
    memoryKilobytes: (server.residentBytesMax - server.residentBytesBefore) / machines / 1000,
  };
  const name = `${machines.toLocaleString('en-US')} machines`;
  const lower = (what: string, value: number, [unit, goal]: readonly [string, Goal]): Row =>
    rowOf({ name: `${name}: ${what}`, value, unit, better: 'lower', goal });
  const rows = [
    lower('failed boots', machines - done, ['', { value: 0 }]),
    lower('until all are provisioned', seconds, ['s', WATCHED]),
    lower('time per machine', costs.wallMs, ['ms', EXPLAINS]),
    lower('processor time of the server per machine', costs.processorMs, ['ms', EXPLAINS]),
    lower('memory of the server per machine', costs.memoryKilobytes, ['KB', EXPLAINS]),
    lower('processor time of the simulation per machine', costs.simulatorMs, ['ms', EXPLAINS]),
    lower('memory of the simulation', simulator.residentBytesMax / 1e6, ['MB', EXPLAINS]),
    ...steps
      .filter(({ step }) => step !== 'agent')
      .map(({ step, p99Ms }) => lower(`${step}, 99 of 100`, p99Ms / 1000, ['s', EXPLAINS])),
  ];
  return { rows, costs };
}

async function provisioned(
  context: BenchContext,
  { network, machines }: { readonly network: NetworkNamespace; readonly machines: number },
): Promise<FleetReport> {
  const dataDirectory = join(context.directory, String(machines));
  const binaries = join(dataDirectory, 'binaries');
  mkdirSync(binaries, { recursive: true });
  writeFileSync(join(binaries, 'ipxe.efi'), new Uint8Array(BOOT_FILE_BYTES));
  const server = await startTinkerbell(context, {
    dataDirectory,
    network,
    flags: [
      `--bind-address=${SERVER_ADDRESS}`,
      `--public-ipv4=${SERVER_ADDRESS}`,
      `--dhcp-bind-addr=${SERVER_ADDRESS}`,
      `--ipxe-binary-dir=${binaries}`,
      '--tootles-legacy-port=0',
      '--local-api-port=0',
      '--syslog-enabled=false',
    ],
  });
  context.say(`booting ${machines} machines`);
  // --keep: the objects are removed with the server.
  const flags = '--seed 1 --images none --work 0.2-1 --timeout 30m --json --keep';
  const words = ['--machines', String(machines), '--at-once', String(AT_ONCE), ...flags.split(' ')];
  const { code, output } = await runProgram(context, {
    command: [process.execPath, TINK_MAIN, '--server', `http://${SERVER_ADDRESS}:7080`, 'simulate', ...words],
    network,
    environment: { TINKERBELL_DATA_DIR: dataDirectory, TINK_CONFIG: '/nonexistent' },
  });
  await server.stop();
  const line = output.split('\n').findLast((one) => one.startsWith('{'));
  if (line === undefined) throw new Error(`tink simulate ended with ${code}: ${output.slice(-1000)}`);
  const report = JSON.parse(line) as FleetReport;
  for (const { name, step, reason } of report.failed.slice(0, 3))
    context.say(`${name} at ${step}: ${reason}`);
  return report;
}
