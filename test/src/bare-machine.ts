/**
 * The common part of tests with one bare machine: a separate network, the server in it, the command line, and
 * time limits.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildHook, withCacheLock } from '@tinkerbell/hook';
import {
  enterPrivateNetwork,
  fetchIpxeBinaries,
  loadDemoManifests,
  startRouterAdvertiser,
  type DemoMachine,
  type Firmware,
  type RunningServer,
  type ServerOptions,
  type TimelineRecord,
} from '@tinkerbell/sandbox';

const repository = join(import.meta.dirname, '../..');
export const cacheDirectory = join(repository, '.cache');
export const serverAddress = '192.168.56.4';
const run = promisify(execFile);

/** Emulation on a busy machine is slow. This limit only ends tests that hang. */
const LIMIT_MS = 20 * 60_000;
const POLL_MS = 200;

/** Prepares the run's own folder, with an empty `images` in it, and the in-memory OS. */
export async function serverOptions(
  firmware: Firmware,
  cleanup: AsyncDisposableStack,
): Promise<Omit<ServerOptions, 'networkInterface'>> {
  const hookDirectory = join(cacheDirectory, 'test', `hook-${firmware}`);
  const ipxe = await withCacheLock(cacheDirectory, async () => {
    await buildHook({ outputDirectory: hookDirectory, cacheDirectory, release: false });
    return fetchIpxeBinaries(cacheDirectory);
  });
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'run-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const imagesDirectory = join(directory, 'images');
  await mkdir(imagesDirectory);
  return {
    dataDirectory: directory,
    imagesDirectory,
    hookDirectory,
    ipxeDirectory: ipxe.directory,
    address: serverAddress,
  };
}

/** Enters the network of one bare machine, which is not created yet. What needs the outside world must have happened before. */
export async function enterRack(firmware: Firmware, cleanup: AsyncDisposableStack) {
  const network = await enterPrivateNetwork(serverAddress);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  const { template, machines } = await loadDemoManifests(1, firmware);
  const [demo] = machines;
  assert.ok(demo !== undefined);
  return { network, template, demo };
}

export async function until(
  server: RunningServer,
  machine: DemoMachine,
  wanted: (record: TimelineRecord) => boolean,
): Promise<void> {
  while (!(await timelineOf(server, machine)).some(wanted))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

export async function timelineOf(
  server: RunningServer,
  { hardware }: Pick<DemoMachine, 'hardware'>,
): Promise<TimelineRecord[]> {
  const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/${hardware.metadata.name}/timeline`;
  const text = await (await server.request(`${server.url}${path}`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TimelineRecord]));
}

export async function tink(server: RunningServer, ...words: string[]): Promise<string> {
  const main = join(repository, 'apps/tink/src/main.mjs');
  const env = { ...process.env, TINKERBELL_DATA_DIR: server.dataDirectory };
  const { stdout } = await run(process.execPath, [main, '--server', server.url, ...words], { env });
  return stdout;
}

/** Rejects, with the end of the console, when the machine fails or too much time has passed. */
export function limitOf(failed: Promise<string>, consoleTail: () => string): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`${reason}\n${consoleTail()}`));
    setTimeout(() => fail(`not done after ${LIMIT_MS / 60_000} minutes`), LIMIT_MS).unref();
    void failed.then(fail);
  });
}
