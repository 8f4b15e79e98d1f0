/**
 * One bare machine in a network of its own, from power-on to the login prompt of what was written to its disk. In the
 * middle of image2disk the server is killed and started again.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildHook, withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  createMachine,
  createObject,
  enterPrivateNetwork,
  fetchIpxeBinaries,
  loadDemoManifests,
  startRouterAdvertiser,
  startServer,
  type DemoMachine,
  type Firmware,
  type RunningServer,
  type ServerOptions,
  type TimelineRecord,
} from '@tinkerbell/sandbox';

const repository = join(import.meta.dirname, '../..');
const cacheDirectory = join(repository, '.cache');
const serverAddress = '192.168.56.4';
const run = promisify(execFile);

/** Emulation on a busy machine is slow; a hang is not slow. */
const LIMIT_MS = 10 * 60_000;
const POLL_MS = 200;

export interface Provision {
  /** The workflow's whole timeline, oldest first. */
  readonly timeline: readonly TimelineRecord[];
  /** What `tink workflow events` prints at the end. */
  readonly events: string;
  /** What `tink get workflow -o json` says at the end. */
  readonly workflow: { readonly status: { readonly state: string } };
  readonly consoleTail: readonly string[];
}

/** Resolves when the login prompt is there; rejects with the end of the console when it does not come. */
export async function provisionWithServerKilled(firmware: Firmware): Promise<Provision> {
  await using cleanup = new AsyncDisposableStack();
  const options = await serverOptions(firmware, cleanup);
  const network = await enterPrivateNetwork(serverAddress);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  const { template, machines } = await loadDemoManifests(1, firmware);
  const [demoMachine] = machines;
  assert.ok(demoMachine !== undefined);
  let server = await startServer({ ...options, networkInterface: network.bridge });
  cleanup.defer(() => server.stop());
  for (const object of [template, demoMachine.hardware, demoMachine.workflow])
    await createObject(server.url, object);
  const directory = options.dataDirectory;
  const machine = await createMachine({ ...demoMachine, firmware, directory, port: await network.addPort() });
  cleanup.defer(() => machine.powerOff());
  const isLoggedIn = new Promise<void>((resolve) =>
    machine.serial.onLine((line) => line.endsWith(' login:') && resolve()),
  );
  const ending = limitOf(machine.failed, () => machine.serial.tail(30).join('\n'));
  await machine.powerOn();

  await Promise.race([until(server, demoMachine, isWritingImage), ending]);
  await server.kill();
  server = await startServer({ ...options, networkInterface: network.bridge });
  await Promise.race([isLoggedIn, ending]);
  return {
    timeline: await timelineOf(server, demoMachine),
    events: await tink(server, 'workflow', 'events', demoMachine.workflow.metadata.name),
    workflow: JSON.parse(
      await tink(server, 'get', 'workflow', demoMachine.workflow.metadata.name, '-o', 'json'),
    ) as Provision['workflow'],
    consoleTail: machine.serial.tail(5),
  };
}

async function serverOptions(
  firmware: Firmware,
  cleanup: AsyncDisposableStack,
): Promise<Omit<ServerOptions, 'networkInterface'>> {
  const hookDirectory = join(cacheDirectory, 'test', `hook-${firmware}`);
  const { image, ipxe } = await withCacheLock(cacheDirectory, async () => {
    await buildHook({ outputDirectory: hookDirectory, cacheDirectory, release: false });
    return {
      image: await buildDebianImage({ cacheDirectory }),
      ipxe: await fetchIpxeBinaries(cacheDirectory),
    };
  });
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'run-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const imagesDirectory = join(directory, 'images');
  await mkdir(imagesDirectory);
  await link(image.path, join(imagesDirectory, 'debian-12.img.zst'));
  return {
    dataDirectory: directory,
    imagesDirectory,
    hookDirectory,
    ipxeDirectory: ipxe.directory,
    address: serverAddress,
  };
}

/** Half a second into the image: some of it is on the disk, most of it is not. */
function isWritingImage(record: TimelineRecord): boolean {
  return record.event === 'action-progressed' && /write image/.test(record.message);
}

async function until(
  server: RunningServer,
  machine: DemoMachine,
  wanted: (record: TimelineRecord) => boolean,
): Promise<void> {
  while (!(await timelineOf(server, machine)).some(wanted))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function timelineOf(server: RunningServer, { hardware }: DemoMachine): Promise<TimelineRecord[]> {
  const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/${hardware.metadata.name}/timeline`;
  const text = await (await fetch(`${server.url}${path}`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TimelineRecord]));
}

async function tink(server: RunningServer, ...words: string[]): Promise<string> {
  const main = join(repository, 'apps/tink/src/main.ts');
  const { stdout } = await run(process.execPath, [main, '--server', server.url, ...words]);
  return stdout;
}

function limitOf(failed: Promise<string>, consoleTail: () => string): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`${reason}\n${consoleTail()}`));
    setTimeout(() => fail(`no login prompt after ${LIMIT_MS / 60_000} minutes`), LIMIT_MS).unref();
    void failed.then(fail);
  });
}
