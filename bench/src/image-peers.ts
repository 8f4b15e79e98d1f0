/** Machines of one rack that write the same disk image at once, each behind a link of its own: docs/decisions/0020. */
import { mkdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import type { ActionRun, ActionRunner } from './action-run.ts';
import { EXPLAINS, rowOf, type BenchContext, type Row } from './benchmark.ts';
import { rawImage } from './disk-image.ts';
import { assertWritten, createLoopDisk, type LoopDisk } from './loop-disk.ts';
import { createRackNetwork, type RackPort } from './rack-network.ts';
import { alternate, median } from './rounds.ts';
import { needProgram, processorSeconds } from './running-program.ts';
import { addImage, type StoredImage } from './stored-image.ts';
import { startTinkerbell } from './tinkerbell-server.ts';

const AGENTS = { quick: 3, usual: 8 } as const;
const MEBIBYTES = 512;
const ROUNDS = 3;
/** Of the server's link and of each agent's: two cores unpack for eight agents faster than such links carry. */
const MEGABITS = 100;
const PORT = 7080;

interface Rack {
  readonly image: StoredImage;
  readonly server: RackPort;
  readonly serverPid: number;
  readonly agents: readonly { readonly port: RackPort; readonly disk: LoopDisk }[];
  readonly runAction: ActionRunner;
}

export async function rackRows(context: BenchContext, runAction: ActionRunner): Promise<readonly Row[]> {
  needProgram('tc', 'iproute2');
  const rack = await prepare(context, runAction);
  const { one, all } = await alternate(context.quick ? 1 : ROUNDS, {
    one: (round) => load(context, rack, { agents: 1, isChecked: round === 0 }),
    all: (round) => load(context, rack, { agents: rack.agents.length, isChecked: round === 0 }),
  });
  return rowsOf(rack.agents.length, { one, all });
}

async function prepare(context: BenchContext, runAction: ActionRunner): Promise<Rack> {
  const raw = rawImage(context, { mebibytes: MEBIBYTES, version: 1 });
  const count = context.quick ? AGENTS.quick : AGENTS.usual;
  const ports = await createRackNetwork(context, { ports: count + 1, megabits: MEGABITS });
  const [server, ...others] = ports;
  if (server === undefined) throw new Error('the rack has no ports');
  const dataDirectory = join(context.directory, 'rack');
  mkdirSync(dataDirectory);
  const flags = [
    `--public-ipv4=${server.address}`,
    '--bind-address=0.0.0.0',
    `--http-port=${PORT}`,
    '--dhcp-enabled=false',
    '--tftp-server-enabled=false',
    '--syslog-enabled=false',
    '--registry-anonymous-pull',
  ];
  const { network } = server;
  const { pid: serverPid } = await startTinkerbell(context, { dataDirectory, flags, network });
  const environment = { TINK_SERVER: `http://127.0.0.1:${PORT}`, TINKERBELL_DATA_DIR: dataDirectory };
  const url = `http://${server.address}:${PORT}`;
  const image = await addImage(context, { raw, tag: 'rack', url, environment, network });
  const agents: { port: RackPort; disk: LoopDisk }[] = [];
  for (const port of others) agents.push({ port, disk: await createLoopDisk(context, statSync(raw).size) });
  return { image, server, serverPid, agents, runAction };
}

interface Load {
  /** Until the last agent has ended. */
  readonly seconds: number;
  /** From the server, as a multiple of the image. */
  readonly sent: number;
  readonly peakMegabytes: number;
  /** Of all agents and the server. */
  readonly processorSeconds: number;
}

async function load(
  context: BenchContext,
  { image, server, serverPid, agents, runAction }: Rack,
  { agents: count, isChecked }: { readonly agents: number; readonly isChecked: boolean },
): Promise<Load> {
  const chosen = agents.slice(0, count);
  for (const { disk } of chosen) disk.soil();
  const before = [await server.sentBytes(), processorSeconds(serverPid)] as const;
  const startedMs = performance.now();
  const runs = await Promise.all(
    chosen.map(({ port, disk }) =>
      runAction(
        'image2disk',
        { IMG_URL: image.url, DEST_DISK: disk.device, RETRY_ENABLED: 'true' },
        port.network,
      ),
    ),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const sum = (valueOf: (run: ActionRun) => number): number =>
    runs.reduce((total, run) => total + valueOf(run), 0);
  const result = {
    seconds,
    sent: ((await server.sentBytes()) - before[0]) / image.usedBytes,
    peakMegabytes: Math.max(...runs.map((run) => run.peakMegabytes)),
    processorSeconds: processorSeconds(serverPid) - before[1] + sum((run) => run.processorSeconds),
  };
  for (const run of runs) context.say(`${run.seconds.toFixed(2)} s: ${run.message}`);
  context.say(`${count} agents: ${JSON.stringify(result)}`);
  if (isChecked) for (const { disk } of chosen) await assertWritten(disk, image.sha256);
  return result;
}

function rowsOf(
  agents: number,
  { one, all }: { readonly one: readonly Load[]; readonly all: readonly Load[] },
): readonly Row[] {
  const seconds = (loads: readonly Load[]): number => median(loads.map((each) => each.seconds));
  const name = `${agents} agents on links of ${MEGABITS} Mbit/s`;
  const cores = availableParallelism();
  return [
    rowOf({
      name: `${name}: bytes from the server, as a multiple of the image`,
      value: median(all.map(({ sent }) => sent)),
      unit: 'x',
      better: 'lower',
      goal: { value: 2 },
    }),
    rowOf({
      name: `${name}: time until the last one has written it`,
      value: seconds(all),
      unit: 's',
      better: 'lower',
      peer: { name: 'one agent alone', value: seconds(one) },
      goal: { ratio: 0.5 },
    }),
    rowOf({
      name: `${name}: processors busy with it`,
      value: median(all.map((each) => (100 * each.processorSeconds) / (cores * each.seconds))),
      unit: '%',
      better: 'lower',
      goal: EXPLAINS,
    }),
    rowOf({
      name: `${name}: memory of the action, which also serves`,
      value: Math.max(...all.map((each) => each.peakMegabytes)),
      unit: 'MB',
      better: 'lower',
      goal: { value: 150 },
    }),
  ];
}
