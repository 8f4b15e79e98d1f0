/** The place of Genesis: the seed machine's network, its image server, and what it serves. */
import { link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildHook, runCommand, withCacheLock } from '@tinkerbell/hook';
import { builtPackages, cacheDirectory } from '@tinkerbell/packaging/testing';
import {
  enterPrivateNetwork,
  fetchIpxeBinaries,
  startChild,
  startRouterAdvertiser,
  type PrivateNetwork,
} from '@tinkerbell/sandbox';
import { harvesterFiles, writeVendorFiles } from '../actions/fixtures/vendor-files.ts';
import { answers } from './home.ts';
import { IMAGES_PORT, PROVISIONING_NETWORK, ROUTER_ADDRESS, SEED_ADDRESS, STAND_IN_IMAGES } from './plan.ts';
import { buildStandInImage } from './stand-in-image.ts';

const SERVER_MAIN = join(import.meta.dirname, '../../../apps/server/src/main.mjs');
const PROVISIONING_BRIDGE = 'prov0';
const IMAGE_SERVER_LIMIT_MS = 60_000;
const NOT_NEEDED = ['smee', 'tink-server', 'tink-controller', 'tootles', 'rufio-controller', 'doctor'];

export interface Place {
  /** Everything of this run is below it. */
  readonly directory: string;
  readonly imagesDirectory: string;
  readonly hookDirectory: string;
  readonly ipxeDirectory: string;
  readonly network: PrivateNetwork;
  /** The network behind the router. */
  readonly provisioningBridge: string;
  /** Of the installers' files. */
  readonly checksums: Readonly<Record<string, string>>;
  /** Port of the site's network, or of the network behind the router. */
  addPort(network: 'site' | 'provisioning'): Promise<string>;
}

/** Call it once per process: it moves this process into the network of the seed machine. */
export async function openPlace(
  tell: (what: string, text: string) => void,
  cleanup: AsyncDisposableStack,
): Promise<Place> {
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'genesis-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const imagesDirectory = join(directory, 'images');
  await mkdir(imagesDirectory);
  const hookDirectory = join(cacheDirectory, 'test', 'hook-genesis');
  const build = { outputDirectory: hookDirectory, cacheDirectory, release: false };
  const { parts, kernelRelease } = await withCacheLock(cacheDirectory, () => buildHook(build));
  tell('in-memory OS', `Linux ${kernelRelease}`);
  const ipxe = await withCacheLock(cacheDirectory, () => fetchIpxeBinaries(cacheDirectory));
  const packages = await builtPackages({ outputDirectory: join(directory, 'packages'), hookDirectory });
  const debs = [...packages].flatMap(([name, path]) => (name.endsWith('.deb') ? [path] : []));
  tell('packages', [...packages.keys()].filter((name) => name.endsWith('.deb')).join(', '));
  const image = await withCacheLock(cacheDirectory, () => buildStandInImage(cacheDirectory, debs));
  for (const name of STAND_IN_IMAGES) await link(image.path, join(imagesDirectory, name));
  tell('disk image', `${(image.compressedBytes / 1e6).toFixed(0)} MB, takes the place of VyOS and Talos`);
  const files = { directory, imagesDirectory, hookDirectory, hookParts: parts };
  const checksums = await writeVendorFiles(files, harvesterFiles);

  const network = await enterPrivateNetwork(SEED_ADDRESS);
  await network.addBridge(PROVISIONING_BRIDGE);
  for (const bridge of [network.bridge, PROVISIONING_BRIDGE]) cleanup.defer(startRouterAdvertiser(bridge));
  await runCommand('ip', ['route', 'add', PROVISIONING_NETWORK, 'via', ROUTER_ADDRESS]);
  await startImageServer(imagesDirectory, directory, cleanup);
  return {
    ...files,
    ipxeDirectory: ipxe.directory,
    network,
    provisioningBridge: PROVISIONING_BRIDGE,
    checksums,
    addPort: (of) => network.addPort(of === 'site' ? network.bridge : PROVISIONING_BRIDGE),
  };
}

/** Our own server with nothing but images, which stays on the seed machine, as in the documents. */
async function startImageServer(
  imagesDirectory: string,
  directory: string,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const child = await startChild(process.execPath, [
    SERVER_MAIN,
    `--data-dir=${join(directory, 'image-server')}`,
    `--images-dir=${imagesDirectory}`,
    `--http-port=${IMAGES_PORT}`,
    `--bind-address=${SEED_ADDRESS}`,
    `--public-ipv4=${SEED_ADDRESS}`,
    ...NOT_NEEDED.map((name) => `--enable-${name}=false`),
  ]);
  child.process.stdout?.resume();
  child.process.stderr?.resume();
  cleanup.defer(() => child.stop());
  await answers(`http://${SEED_ADDRESS}:${IMAGES_PORT}`, IMAGE_SERVER_LIMIT_MS);
}
