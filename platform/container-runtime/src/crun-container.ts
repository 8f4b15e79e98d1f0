/** Runs an image with crun: pulls, unpacks, runs and removes it. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackImage, type RootedTree } from '@tinkerbell/container-image';
import { linuxPlatform, parseReference } from '@tinkerbell/oci';
import { PlatformError, type Clock } from '@tinkerbell/platform-contract';
import { createRegistryClient, type PulledImage } from '@tinkerbell/registry-client';
import { cgroupRoot, endCgroup } from './container-cgroup.ts';
import type { ContainerMachine, ContainerOrder } from './container-order.ts';
import { containerUser } from './container-user.ts';
import { runCrun } from './crun-process.ts';
import { runtimeConfig, type Mount } from './runtime-config.ts';
import { readVolume } from './volume.ts';

export interface CrunMachine extends ContainerMachine {
  /** The program: a name or a path. */
  readonly crun: string;
  /** Holds images while they run, and named volumes. Belongs to this agent alone. */
  readonly directory: string;
}

const ACCOUNTS_MAX_BYTES = 1024 * 1024;
const ID_BYTES = 6;
/** Files of the machine that a container needs to reach others by name. */
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts'] as const;

/** Resolves with the exit code. Rejects with a PlatformError when the image cannot be pulled or run. */
export async function runWithCrun(order: ContainerOrder, machine: CrunMachine): Promise<number> {
  const { directory, clock, random, signal } = machine;
  const running = join(directory, 'running');
  await mkdir(running, { recursive: true, mode: 0o700 });
  const cgroups = await cgroupRoot(join(directory, 'cgroup'));
  // Left behind by an agent that was killed. Only one action runs at a time.
  for (const left of await readdir(running)) await remove(join(running, left), { id: left, cgroups, clock });
  if (cgroups === undefined && order.pidNamespace === 'host')
    throw new PlatformError('unavailable', 'namespaces.pid is "host", which needs a kernel with cgroup2');
  const id = `tinkerbell-${Buffer.from(random.bytes(ID_BYTES)).toString('hex')}`;
  const bundle = join(running, id);
  const endAll = async (): Promise<unknown> => cgroups !== undefined && endCgroup(cgroups, id, clock);
  try {
    const { image, tree } = await pulled(order, machine, bundle);
    const { config } = image;
    const mounts = await mountsOf(order, directory, bundle);
    // Docker creates it, and crun does not.
    tree.place(
      [...config.workingDirectory.split('/').filter((part) => !['', '.', '..'].includes(part)), '-'],
      'create',
    );
    const user = containerUser(config.user, {
      passwd: await accountFile(tree, 'passwd'),
      group: await accountFile(tree, 'group'),
    });
    const capabilities = ownCapabilities();
    const spec = runtimeConfig({ id, order, config, user, mounts, capabilities });
    await writeFile(join(bundle, 'config.json'), JSON.stringify(spec));
    signal.throwIfAborted();
    machine.onProgress('running');
    return await runCrun({
      ...machine,
      id,
      bundle,
      endAll,
      state: join(bundle, 'crun'),
      hasCgroups: cgroups !== undefined,
      stopSignal: config.stopSignal,
    });
  } finally {
    await remove(bundle, { id, cgroups, clock });
  }
}

/** The bounding set. Nobody can grant more. */
function ownCapabilities(): bigint {
  const hex = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return BigInt(`0x${hex ?? '0'}`);
}

async function pulled(
  order: ContainerOrder,
  machine: CrunMachine,
  bundle: string,
): Promise<{ readonly image: PulledImage; readonly tree: RootedTree }> {
  const { registries, clock, random, log, signal } = machine;
  const platform = linuxPlatform(process.arch);
  const client = createRegistryClient({ settings: registries, platform, clock, random });
  machine.onProgress(`pulling ${order.image}`);
  const image = await client.image(parseReference(order.image), signal);
  const { tree, skippedAttributes } = await unpackImage({ client, image, directory: bundle, signal });
  if (skippedAttributes > 0)
    log.warn('the file system does not support some attributes of the image', {
      attributes: skippedAttributes,
    });
  return { image, tree };
}

async function mountsOf(order: ContainerOrder, directory: string, bundle: string): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  for (const place of NETWORK_FILES) {
    const text = await readFile(place, 'utf8').catch(() => '');
    const source = join(bundle, place.replaceAll('/', '-'));
    await writeFile(source, text, { mode: 0o644 });
    mounts.push({ destination: place, type: 'bind', source, options: ['bind', 'rprivate', 'rw'] });
  }
  for (const { source: text, isNamed, destination, options } of order.volumes.map(readVolume)) {
    const source = isNamed ? join(directory, 'volumes', text) : text;
    if ((await stat(source).catch(() => undefined)) === undefined) await mkdir(source, { recursive: true });
    mounts.push({ destination, type: 'bind', source, options });
  }
  // The last one at a place wins.
  return [...new Map(mounts.map((mount) => [mount.destination, mount])).values()];
}

async function accountFile(tree: RootedTree, name: 'passwd' | 'group'): Promise<string> {
  const place = tree.resolve(['etc', name]);
  const stats = place === undefined ? undefined : tree.stat(place);
  if (place === undefined || stats?.isFile() !== true) return '';
  if (stats.size > ACCOUNTS_MAX_BYTES)
    throw new PlatformError('too-large', `/etc/${name} of the image exceeds ${ACCOUNTS_MAX_BYTES} bytes`);
  return readFile(tree.path(place), 'utf8');
}

interface Remains {
  readonly id: string;
  readonly cgroups: string | undefined;
  readonly clock: Clock;
}

async function remove(bundle: string, { id, cgroups, clock }: Remains): Promise<void> {
  if (cgroups !== undefined && !(await endCgroup(cgroups, id, clock)))
    throw new PlatformError(
      'unavailable',
      `processes of the container ${id} cannot be killed; they wait for a disk`,
    );
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  if (mounts.split('\n').some((line) => line.split(' ')[1]?.startsWith(`${bundle}/`)))
    throw new PlatformError('unavailable', `${bundle} is not removed, because something is mounted there`);
  await rm(bundle, { recursive: true, force: true });
}
