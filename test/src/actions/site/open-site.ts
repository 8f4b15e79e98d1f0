/**
 * A site: the server with its registry and its files, a place for uploads, and a network whose only way out is a black
 * hole. What anyone sends there is recorded.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildHook, buildIso, runCommand, withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  createNetworkHost,
  enterPrivateNetwork,
  fetchIpxeBinaries,
  startRouterAdvertiser,
  startServer,
  type NetworkHost,
  type PrivateNetwork,
  type RunningServer,
} from '@tinkerbell/sandbox';
import { cacheDirectory, serverAddress } from '../../bare-machine.ts';
import { busyboxFor, type Busybox } from '../fixtures/busybox.ts';
import { fetchDebianInstaller } from '../fixtures/debian-installer.ts';
import { startCapture, type Capture } from './capture.ts';
import { startUploads, type Uploads } from './uploads.ts';

export type Architecture = 'x86_64' | 'aarch64';

export interface SiteNeeds {
  /** The disk image of Debian, which takes minutes to build. */
  readonly hasDebian: boolean;
  /** The kernel and the initrd of Debian's installer. */
  readonly hasDebianInstaller: boolean;
  readonly architectures: ReadonlySet<Architecture>;
  /** Of the images for virtual media. */
  readonly isoArchitectures: ReadonlySet<Architecture>;
}

export interface Site {
  readonly network: PrivateNetwork;
  readonly server: RunningServer;
  /** Everything of this run is below it. */
  readonly directory: string;
  /** Served under /images/. */
  readonly imagesDirectory: string;
  readonly hookDirectory: string;
  /** The bytes of each part of the initramfs for x86_64, in its order. */
  readonly hookParts: Readonly<Record<string, number>>;
  readonly uploads: Uploads;
  readonly capture: Capture;
  /** The path of the image. */
  readonly debianImage: string | undefined;
  /** A folder with `linux` and `initrd.gz`. */
  readonly debianInstaller: string | undefined;
  /** Ends with the site. */
  readonly cleanup: AsyncDisposableStack;
  readonly busybox: ReadonlyMap<Architecture, Busybox>;
}

/** The router of the site. It answers ARP, so that packets for the world are sent, and loses them. */
const BLACK_HOLE = '192.168.56.1';

/** Call it once per process: it moves this process into the network of the site. */
export async function openSite(needs: SiteNeeds, cleanup: AsyncDisposableStack): Promise<Site> {
  const hookDirectory = join(cacheDirectory, 'test', 'hook-actions');
  const files = await withCacheLock(cacheDirectory, () => fetchFiles(needs, hookDirectory));
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'actions-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const imagesDirectory = join(directory, 'images');
  await mkdir(imagesDirectory);

  const network = await enterPrivateNetwork(serverAddress);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  const router = await connectRouter(network.bridge);
  cleanup.defer(() => router.stop());
  const capture = await startCapture(network.bridge, join(directory, 'outside.pcap'));
  cleanup.defer(() => capture.stop());
  const uploads = await startUploads(serverAddress);
  cleanup.defer(() => uploads.close());
  const server = await startServer({
    dataDirectory: join(directory, 'data'),
    imagesDirectory,
    hookDirectory,
    ipxeDirectory: files.ipxe,
    address: serverAddress,
    networkInterface: network.bridge,
    flags: needs.isoArchitectures.size === 0 ? [] : ['--iso-static-ipam-enabled=true'],
  });
  cleanup.defer(() => server.stop());
  const place = { directory, imagesDirectory, hookDirectory };
  return { ...files, ...place, network, server, uploads, capture, cleanup };
}

/** A router that forwards nothing. With it the bridge has a link, also while no machine is on. */
async function connectRouter(bridge: string): Promise<NetworkHost> {
  const router = await createNetworkHost([{ name: 'site', bridge, address: `${BLACK_HOLE}/24` }]);
  await runCommand('ip', ['route', 'add', 'default', 'via', BLACK_HOLE]);
  return router;
}

/** Everything that comes from outside: once the site is open, nothing does. */
async function fetchFiles(
  { architectures, isoArchitectures, hasDebian, hasDebianInstaller }: SiteNeeds,
  hookDirectory: string,
): Promise<
  { readonly ipxe: string } & Pick<Site, 'busybox' | 'debianImage' | 'debianInstaller' | 'hookParts'>
> {
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const busybox = new Map<Architecture, Busybox>();
  let hookParts: Site['hookParts'] = {};
  for (const architecture of new Set<Architecture>(['x86_64', ...architectures])) {
    const build = { outputDirectory: hookDirectory, cacheDirectory, release: false, architecture };
    const { parts } = await buildHook(build);
    if (architecture === 'x86_64') hookParts = parts;
    busybox.set(architecture, await busyboxFor(architecture, cacheDirectory));
  }
  for (const architecture of isoArchitectures)
    await buildIso({ architecture, directory: hookDirectory, cacheDirectory });
  const { directory: ipxe } = await fetchIpxeBinaries(cacheDirectory);
  const debianImage = hasDebian ? (await buildDebianImage({ cacheDirectory })).path : undefined;
  const debianInstaller = hasDebianInstaller ? await fetchDebianInstaller(cacheDirectory) : undefined;
  return { ipxe, busybox, debianImage, debianInstaller, hookParts };
}

export function busyboxOf({ busybox }: Site, architecture: Architecture): Busybox {
  const found = busybox.get(architecture);
  if (found === undefined) throw new Error(`this site has no busybox for ${architecture}`);
  return found;
}
