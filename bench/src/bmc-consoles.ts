/** The cost of serial consoles that stay open: with machines that are silent, and with machines that print. */
import { join } from 'node:path';
import { rowOf, type BenchContext, type Row } from './benchmark.ts';
import { create, hardwareOf, machineOf, secretOf } from './bmc-objects.ts';
import { processorSeconds, type RunningProgram } from './running-program.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';

export interface Rack {
  readonly rack: RunningProgram;
  /** UDP ports of its BMCs. */
  readonly ports: readonly number[];
  readonly password: string;
}

const CONSOLES = 200;
const CORE_PERCENT_GOAL = 10;
const BMCS = '/apis/bmc.tinkerbell.org/v1alpha1/namespaces/default';
const SITE = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
/** The BMC service, which polls, is off. Only the consoles use the BMCs. */
const FLAGS = [
  '--enable-secondstar',
  '--secondstar-record',
  '--secondstar-port=0',
  '--enable-rufio-controller=false',
];
const OPEN_PATIENCE_MS = 60_000;

export async function consoleRows(
  context: BenchContext,
  { rack, ports, password }: Rack,
): Promise<readonly Row[]> {
  const count = Math.min(CONSOLES, ports.length);
  const server = await startOnLoopback(context, {
    dataDirectory: join(context.directory, 'consoles'),
    flags: FLAGS,
    prefix: ['taskset', '-c', '0'],
  });
  await create(server, '/api/v1/namespaces/default/secrets', secretOf(password));
  for (const [number, port] of ports.slice(0, count).entries()) {
    await create(server, `${BMCS}/machines`, machineOf(number, port));
    await create(server, `${SITE}/hardware`, hardwareOf(number));
  }
  await untilOpen(server, count);
  const seconds = context.quick ? 5 : 30;
  const silent = await usedPercent(server, seconds);
  process.kill(rack.pid, 'SIGUSR2');
  // Machines begin one after the other, within a second.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const before = await metricOf(server, 'serial_recorded_lines_total');
  const printing = await usedPercent(server, seconds);
  const lines = (await metricOf(server, 'serial_recorded_lines_total')) - before;
  if (lines < 0.9 * count * seconds) throw new Error(`only ${lines} lines were recorded`);
  const row = (name: string, value: number): Row =>
    rowOf({ name, value, unit: '% of a core', better: 'lower', goal: { value: CORE_PERCENT_GOAL } });
  return [
    row(`${count} open serial consoles of silent machines`, silent),
    row(`${count} open serial consoles, each printing and recording a line a second`, printing),
  ];
}

async function untilOpen(server: LoopbackServer, count: number): Promise<void> {
  const endMs = performance.now() + OPEN_PATIENCE_MS;
  while ((await metricOf(server, 'serial_consoles')) < count) {
    if (performance.now() > endMs) throw new Error('the serial consoles do not open');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // Sessions are complete a moment later.
  await new Promise((resolve) => setTimeout(resolve, 3000));
}

async function usedPercent({ pid }: LoopbackServer, seconds: number): Promise<number> {
  const before = processorSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return ((processorSeconds(pid) - before) / seconds) * 100;
}

async function metricOf({ url }: LoopbackServer, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}
