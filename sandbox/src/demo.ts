/**
 * The whole story in one demo: a rack in an isolated network, the real server, and bare machines that are
 * switched on, boot from the network, get Debian on their disks, restart, and show a login prompt.
 */
import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildHook, fetchIpxeBinaries, withCacheLock } from '@tinkerbell/hook';
import { aborted } from '@tinkerbell/platform-contract';

import { createObject, followTimeline, type ApiObject, type TimelineRecord } from './api-client.ts';
import {
  actionSeconds,
  powerOnAt,
  stageSeconds,
  withRecord,
  withSerialLine,
  type BootProgress,
} from './boot-stages.ts';
import { bootedByBmc, openBmcOf } from './bmc/index.ts';
import { buildDebianImage, type DebianImage } from './debian-image.ts';
import { loadDemoManifests, type DemoMachine } from './demo-manifests.ts';
import { shownOf, type DemoView } from './demo-view.ts';
import { startPostgres } from './postgres.ts';
import { openNetworkDoor, type NetworkDoor } from './network-door.ts';
import { enterPrivateNetwork, type PrivateNetwork } from './private-network.ts';
import type { Firmware } from './firmware.ts';
import { createMachine, type Machine } from './qemu-machine.ts';
import { startRouterAdvertiser } from './router-advertiser.ts';
import { HTTP_PORT, startServer, type RunningServer } from './start-server.ts';

const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));
const SERVER_ADDRESS = '192.168.56.4';
const IMAGE_NAME = 'debian-12.img.zst';
/**
 * From power-on to the login prompt. Emulation on a busy machine is slow. This limit only ends demos that
 * hang.
 */
const MACHINE_LIMIT_MS = 8 * 60_000;
const SERIAL_LINES_SHOWN = 25;

export interface DemoOptions {
  readonly firmware: Firmware;
  readonly machines: number;
  /** Default: `sqlite`. For `postgres` one is started. */
  readonly store?: 'sqlite' | 'postgres';
  /** Machines have BMCs, and their workflows power them on. */
  readonly bmc?: boolean;
  /** Leaves everything running until the signal aborts. */
  readonly keep: boolean;
  /** Shows a link to the web console, for a browser on this machine. */
  readonly open: boolean;
  readonly signal: AbortSignal;
}

export interface MachineOutcome {
  readonly name: string;
  readonly mac: string;
  readonly state: string;
  readonly booted: boolean;
  readonly stages: Readonly<Record<string, number>>;
  readonly actions: readonly { readonly name: string; readonly seconds: number }[];
}

export interface DemoOutcome {
  readonly firmware: Firmware;
  readonly state: string;
  readonly booted: boolean;
  /** The stages of the slowest machine. */
  readonly stages: Readonly<Record<string, number>>;
  readonly prepareSeconds: number;
  readonly server: { readonly readySeconds: number; readonly residentMegabytes: number };
  readonly machines: readonly MachineOutcome[];
}

/** Runs the demo. @throws Error with the fix when it cannot start. */
export async function runDemo(options: DemoOptions, view: DemoView): Promise<DemoOutcome> {
  if (process.getuid?.() !== 0) {
    throw new Error('the demo needs root for its own network and disk images: run it with sudo');
  }
  view.heading(
    `${options.machines === 1 ? 'One bare machine' : `${options.machines} bare machines`}, ${options.firmware}, software emulation`,
  );
  const startedMs = performance.now();
  await using cleanup = new AsyncDisposableStack();
  const directory = await makeRunDirectory();
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const prepared = await orStopped(
    withCacheLock(CACHE, () => prepare(view)),
    options.signal,
  );
  const door = options.open ? cleanup.use(await openNetworkDoor(HTTP_PORT)) : undefined;
  const network = await enterPrivateNetwork(SERVER_ADDRESS);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  const flags = [
    ...(options.store === 'postgres' ? await postgresFlags(view, cleanup) : []),
    ...(door === undefined ? [] : ['--console-login-link']),
  ];
  const server = await serve(prepared, { directory, network, view, flags });
  cleanup.defer(() => server.stop());
  if (door !== undefined) view.text(`\nIn the browser: ${consoleLink(server, door)} (signs in once)`);

  const manifests = await loadDemoManifests(options.machines, options.firmware);
  await createObject(server, manifests.template);
  const prepareSeconds = round((performance.now() - startedMs) / 1000);
  view.heading('Power on');
  const machines = await Promise.all(
    manifests.machines.map((machine) =>
      provision(machine, { ...options, directory, network, server, view, cleanup }),
    ),
  );
  const outcome = {
    firmware: options.firmware,
    ...summarise(machines),
    prepareSeconds,
    server: {
      readySeconds: round(server.readySeconds),
      residentMegabytes: await server.residentMegabytes(),
    },
    machines,
  };
  if (options.keep && !options.signal.aborted) {
    view.text(`\nLeft running until Ctrl-C. Server: nsenter -t ${process.pid} -n curl ${server.url}/readyz`);
    await aborted(options.signal);
  }
  return outcome;
}

/** Prepares everything that needs the outside world, before the private network is entered. */
async function prepare(view: DemoView): Promise<{
  readonly image: DebianImage;
  readonly hookDirectory: string;
  readonly ipxeDirectory: string;
}> {
  view.text('Preparing (the first time takes about a minute)\n');
  const hookDirectory = join(CACHE, 'sandbox', 'hook');
  const [image, ipxe] = await Promise.all([
    timed(() => buildDebianImage({ cacheDirectory: CACHE })).then(([built, time]) => {
      const size = `${(built.compressedBytes / 1e6).toFixed(0)} MB`;
      view.prepared('Debian 12 image', `${size}, ${built.fromCache ? 'from the cache' : `built in ${time}`}`);
      return built;
    }),
    timed(() => fetchIpxeBinaries(CACHE)).then(([binaries, time]) => {
      view.prepared('iPXE', binaries.warning ?? `from Debian, ${time}`);
      return binaries;
    }),
    timed(() => buildHook({ outputDirectory: hookDirectory, cacheDirectory: CACHE, release: false })).then(
      ([hook, time]) => {
        const size = ((hook.kernel.bytes + hook.initramfs.bytes) / 1e6).toFixed(0);
        view.prepared('in-memory OS', `${size} MB, Linux ${hook.kernelRelease}, ${time}`);
      },
    ),
  ]);
  return { image, hookDirectory, ipxeDirectory: ipxe.directory };
}

/** Preparing may take minutes, and a user who stops the demo does not wait for it. */
async function orStopped<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const stopped = aborted(signal).then(() => {
    throw new Error('stopped while it was preparing');
  });
  return Promise.race([work, stopped]);
}

/** Runs in the rack's own network, like the server. */
async function postgresFlags(view: DemoView, cleanup: AsyncDisposableStack): Promise<readonly string[]> {
  const startedMs = performance.now();
  const postgres = cleanup.use(await startPostgres({ fsync: true }));
  const url = await postgres.database('tinkerbell');
  view.prepared('PostgreSQL', `ready in ${((performance.now() - startedMs) / 1000).toFixed(2)} s`);
  return ['--store=postgres', `--postgres-url=${url}`];
}

async function serve(
  prepared: Awaited<ReturnType<typeof prepare>>,
  rack: {
    readonly directory: string;
    readonly network: PrivateNetwork;
    readonly view: DemoView;
    readonly flags: readonly string[];
  },
): Promise<RunningServer> {
  const imagesDirectory = join(rack.directory, 'images');
  await mkdir(imagesDirectory);
  await link(prepared.image.path, join(imagesDirectory, IMAGE_NAME));
  const server = await startServer({
    dataDirectory: join(rack.directory, 'data'),
    imagesDirectory,
    hookDirectory: prepared.hookDirectory,
    ipxeDirectory: prepared.ipxeDirectory,
    networkInterface: rack.network.bridge,
    address: rack.network.address,
    flags: rack.flags,
  });
  rack.view.prepared('server', `ready in ${server.readySeconds.toFixed(2)} s at ${server.url}`);
  return server;
}

/** Its way in is in the server's log. */
function consoleLink(server: RunningServer, { port }: NetworkDoor): string {
  const code = /\/console\/(#\w+)/.exec(server.tail().join('\n'))?.[1] ?? '';
  return `http://127.0.0.1:${port}/console/${code}`;
}

interface Rack extends DemoOptions {
  readonly directory: string;
  readonly network: PrivateNetwork;
  readonly server: RunningServer;
  readonly view: DemoView;
  readonly cleanup: AsyncDisposableStack;
}

/** From the machine's objects in the API to its login prompt. */
async function provision(demoMachine: DemoMachine, rack: Rack): Promise<MachineOutcome> {
  const { name, mac, hardware } = demoMachine;
  const label = rack.machines === 1 ? '' : name;
  const machine = await createMachine({
    name,
    mac,
    firmware: rack.firmware,
    directory: rack.directory,
    port: await rack.network.addPort(),
    ...(rack.bmc === true ? { bootOrder: 'disk' as const } : {}),
  });
  rack.cleanup.defer(() => machine.powerOff());
  const powerOn =
    rack.bmc === true
      ? await poweredByWorkflow(machine, demoMachine, rack)
      : await poweredByHand(machine, demoMachine, rack);

  const watched = await watchBoot(machine, { rack, hardware, label, powerOn });
  return {
    name,
    mac,
    state: watched.state,
    booted: watched.moments.login !== undefined,
    stages: stageSeconds(watched),
    actions: actionSeconds(watched),
  };
}

async function poweredByHand(
  machine: Machine,
  { hardware, workflow }: DemoMachine,
  { server }: Rack,
): Promise<() => Promise<void>> {
  await createObject(server, hardware);
  await createObject(server, workflow);
  return () => machine.powerOn();
}

/** The machine has a BMC. Its workflow makes it boot from the network once. */
async function poweredByWorkflow(
  machine: Machine,
  { hardware, workflow }: DemoMachine,
  { server, cleanup }: Rack,
): Promise<() => Promise<void>> {
  const bmc = cleanup.use(await openBmcOf(machine));
  for (const object of [...bmc.objects, bmc.ofHardware(hardware)]) await createObject(server, object);
  return () => createObject(server, bootedByBmc(workflow));
}

/**
 * Switches the machine on and shows what happens until its login prompt, a failure, or the end of the demo.
 */
interface Watching {
  readonly rack: Rack;
  readonly hardware: ApiObject;
  readonly label: string;
  readonly powerOn: () => Promise<void>;
}

async function watchBoot(
  machine: Machine,
  { rack, hardware, label, powerOn }: Watching,
): Promise<BootProgress> {
  const { view } = rack;
  const poweredOnMs = Date.now();
  const ended = new AbortController();
  let progress = powerOnAt(poweredOnMs);
  const secondsAt = (atMs: number): number => Math.max(0, atMs - poweredOnMs) / 1000;
  const fail = (text: string): void => {
    if (ended.signal.aborted) return;
    view.step(label, secondsAt(Date.now()), { what: 'failed', text });
    for (const line of machine.serial.tail(SERIAL_LINES_SHOWN)) view.text(`    ${line}`);
    ended.abort();
  };
  const advance = (next: BootProgress): void => {
    progress = next;
    if (['FAILED', 'TIMEOUT'].includes(progress.state)) fail(`the workflow is ${progress.state}`);
    if (progress.moments.login !== undefined) ended.abort();
  };
  machine.serial.onLine((line) => {
    const atMs = Date.now();
    const text = consoleText(line);
    if (text !== undefined) view.step(label, secondsAt(atMs), { what: 'console', text });
    advance(withSerialLine(progress, line, atMs));
  });
  const onRecord = (record: TimelineRecord): void => {
    const shown = shownOf(record);
    if (shown?.isMoving === true) view.moving(label, secondsAt(record.atMs), shown.step);
    else if (shown !== undefined) view.step(label, secondsAt(record.atMs), shown.step);
    advance(withRecord(progress, record));
  };
  followTimeline(rack.server, hardware, { onRecord, signal: ended.signal }).catch((error: unknown) => {
    fail(`the server's timeline ended: ${error instanceof Error ? error.message : String(error)}`);
  });
  void machine.failed.then(fail);
  const text = `${machine.mac}, ${rack.firmware}`;
  if (rack.bmc === true)
    view.step(label, 0, { what: 'workflow', text: `${text}, off; its BMC powers it on` });
  else view.step(label, 0, { what: 'power on', text });
  await powerOn();
  const limit = setTimeout(
    () => fail(`no login prompt after ${MACHINE_LIMIT_MS / 1000} s`),
    MACHINE_LIMIT_MS,
  );
  await Promise.race([aborted(ended.signal), aborted(rack.signal)]);
  clearTimeout(limit);
  ended.abort();
  return progress;
}

/** Returns what of the serial port is worth a line beside the timeline. */
function consoleText(line: string): string | undefined {
  if (line.endsWith(' login:')) return line;
  return /^hook: \[.*?\] (Linux .*)$/.exec(line)?.[1];
}

function summarise(machines: readonly MachineOutcome[]): Pick<DemoOutcome, 'state' | 'booted' | 'stages'> {
  const slowest = [...machines].sort((a, b) => (b.stages['total'] ?? 0) - (a.stages['total'] ?? 0))[0];
  const failed = machines.find((machine) => machine.state !== 'SUCCESS');
  return {
    state: failed === undefined ? 'SUCCESS' : failed.state || 'UNKNOWN',
    booted: machines.every((machine) => machine.booted),
    stages: slowest?.stages ?? {},
  };
}

/**
 * Creates a directory for this run, and removes those of runs that were killed. It is beside the cache, so
 * that files can be linked.
 */
async function makeRunDirectory(): Promise<string> {
  const parent = join(CACHE, 'sandbox', 'runs');
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    if (!isAlive(Number(name))) await rm(join(parent, name), { recursive: true, force: true });
  }
  const directory = join(parent, String(process.pid));
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  return directory;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function timed<Value>(work: () => Promise<Value>): Promise<[Value, string]> {
  const startedMs = performance.now();
  const value = await work();
  return [value, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
