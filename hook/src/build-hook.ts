import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { bundleAgent, type BundleFile } from './agent-bundle.ts';
import {
  architectureOf,
  OWN_ARCHITECTURE,
  type Architecture,
  type ArchitectureName,
} from './architecture.ts';
import type { CpioEntry } from './cpio.ts';
import { openDebianArchive, type DebianArchive } from './debian-archive.ts';
import { buildPart, fromCache, type PartRequest } from './initramfs-part.ts';
import { collectModules, kernelModulesFor } from './kernel-modules.ts';
import { nodeEntry, nodeFingerprint, nodeProgram } from './node-program.ts';
import { replaceFile } from './replace-file.ts';
import {
  busyboxEntries,
  configurationEntries,
  LIBRARY_PACKAGES,
  libraryEntries,
} from './root-file-system.ts';
import { buildSegments, type SegmentFile } from './segments/build-segments.ts';
import { unpackPackages } from './unpack-packages.ts';

const DEBIAN_SUITE = 'bookworm';

/** The one that uses shared libraries. They are there for Node. */
const BUSYBOX_PACKAGE = 'busybox';

/** Fast to build, and 22 % larger than the release level. */
const ZSTD_LEVEL_DEVELOPMENT = 3;
const ZSTD_LEVEL_RELEASE = 19;

export interface HookOptions {
  readonly outputDirectory: string;
  readonly cacheDirectory: string;
  /** Smallest download instead of fastest build. */
  readonly release: boolean;
  /** Default: `x86_64`. */
  readonly architecture?: ArchitectureName;
  readonly onProgress?: (line: string) => void;
}

export interface HookArtifact {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface HookBuild {
  readonly kernelRelease: string;
  readonly kernel: HookArtifact;
  readonly initramfs: HookArtifact;
  /** The compressed bytes of each part of the initramfs. */
  readonly parts: Readonly<Record<string, number>>;
  readonly segments: readonly SegmentFile[];
}

/**
 * Writes `vmlinuz-<architecture>` and `initramfs-<architecture>` (upstream's file names) to the output directory, with
 * `segments-<architecture>.json` and the segments. Equal packages, sources and level give equal bytes.
 */
export async function buildHook(options: HookOptions): Promise<HookBuild> {
  const tell = options.onProgress ?? ((): void => undefined);
  const architecture = architectureOf(options.architecture ?? 'x86_64');
  const packages = await fetchPackages(architecture, options.cacheDirectory, tell);
  const workDirectory = await mkdtemp(join(tmpdir(), 'hook-'));
  try {
    const { outputDirectory, cacheDirectory } = options;
    const zstdLevel = options.release ? ZSTD_LEVEL_RELEASE : ZSTD_LEVEL_DEVELOPMENT;
    const { archive } = packages;
    const place = { outputDirectory, cacheDirectory, workDirectory };
    // Before the initramfs, which has their digests.
    const { segments, list } = await buildSegments({ ...place, architecture, archive, zstdLevel });
    for (const { name, bytes } of segments) tell(`segment ${name}: ${(bytes / 1e6).toFixed(1)} MB`);
    const described = await describeParts({ packages, architecture, workDirectory, segmentList: list });
    const parts: [string, Uint8Array][] = [];
    for (const part of described.parts) {
      const bytes = await buildPart({ ...part, zstdLevel, cacheDirectory });
      tell(`${part.name}: ${(bytes.length / 1e6).toFixed(1)} MB`);
      parts.push([part.name, bytes]);
    }
    const kernelPlace = { name: 'vmlinuz', inputs: [packages.kernel], cacheDirectory };
    const kernel = await fromCache(kernelPlace, described.kernel);
    const initramfs = Buffer.concat(parts.map(([, bytes]) => bytes));
    return {
      kernelRelease: packages.kernelRelease,
      kernel: await writeArtifact(join(outputDirectory, `vmlinuz-${architecture.name}`), kernel),
      initramfs: await writeArtifact(join(outputDirectory, `initramfs-${architecture.name}`), initramfs),
      parts: Object.fromEntries(parts.map(([name, bytes]) => [name, bytes.length])),
      segments,
    };
  } finally {
    await rm(workDirectory, { recursive: true, force: true });
  }
}

/** The paths of `.deb` files. */
interface Packages {
  readonly archive: DebianArchive;
  readonly kernel: string;
  readonly kernelRelease: string;
  readonly busybox: string;
  /** The same for this machine's processor. */
  readonly ownBusybox: string;
  /** Node's executable. */
  readonly node: string;
  readonly libraries: readonly string[];
}

async function fetchPackages(
  architecture: Architecture,
  cacheDirectory: string,
  tell: (line: string) => void,
): Promise<Packages> {
  const archiveOf = ({ debian }: Architecture) =>
    openDebianArchive({ suite: DEBIAN_SUITE, cacheDirectory, architecture: debian });
  const archive = await archiveOf(architecture);
  const kernelPackage = await currentKernelPackage(archive, architecture);
  const names = [kernelPackage, BUSYBOX_PACKAGE, ...LIBRARY_PACKAGES];
  tell(`packages: ${names.join(' ')}`);
  const [kernel = '', busybox = '', ...libraries] = await archive.download(names);
  const [ownBusybox = ''] =
    architecture === OWN_ARCHITECTURE
      ? [busybox]
      : await (await archiveOf(OWN_ARCHITECTURE)).download([BUSYBOX_PACKAGE]);
  const kernelRelease = kernelPackage.replace(/^linux-image-/, '');
  const node = await nodeProgram(architecture, cacheDirectory);
  return { archive, kernel, kernelRelease, busybox, ownBusybox, libraries, node };
}

interface PartInputs {
  readonly packages: Packages;
  readonly architecture: Architecture;
  readonly workDirectory: string;
  readonly segmentList: Uint8Array;
}

/** How each part of the initramfs, and the kernel, is built if the cache does not have it. */
async function describeParts({ packages, architecture, workDirectory, segmentList }: PartInputs): Promise<{
  readonly parts: readonly Pick<PartRequest, 'name' | 'inputs' | 'entries'>[];
  readonly kernel: () => Promise<Uint8Array>;
}> {
  const { busybox, ownBusybox, libraries, kernelRelease, node } = packages;
  const modules = kernelModulesFor(architecture);
  // The largest package. It is not unpacked when its output is in the cache.
  let unpacked: Promise<string> | undefined;
  const kernelRoot = (): Promise<string> =>
    (unpacked ??= unpackPackages([packages.kernel], join(workDirectory, 'kernel')));
  const agent = await bundleAgent();
  const configuration = await configurationEntries(segmentList);
  const parts = [
    {
      name: 'programs',
      inputs: [busybox, ...libraries],
      entries: async () => [
        ...(await busyboxEntries(
          await unpackPackages([busybox], join(workDirectory, 'busybox')),
          await unpackPackages([ownBusybox], join(workDirectory, 'own-busybox')),
        )),
        ...(await libraryEntries(
          await unpackPackages(libraries, join(workDirectory, 'libraries')),
          architecture,
        )),
      ],
    },
    {
      name: 'modules',
      inputs: [packages.kernel, ...modules],
      entries: async () =>
        collectModules(await kernelRoot(), { kernelRelease, modules }, join(workDirectory, 'modules')),
    },
    {
      name: 'node',
      inputs: [await nodeFingerprint(node)],
      entries: async () => [await nodeEntry(node, { architecture, workDirectory })],
    },
    { name: 'configuration', inputs: configuration.map(entryInput), entries: async () => configuration },
    {
      name: 'agent',
      inputs: agent.flatMap(({ name, content }) => [name, content]),
      entries: async () => agent.map(agentEntry),
    },
  ];
  return {
    parts,
    kernel: async () => readFile(join(await kernelRoot(), 'boot', `vmlinuz-${kernelRelease}`)),
  };
}

function agentEntry({ name, content }: BundleFile): CpioEntry {
  return { kind: 'file', path: `usr/lib/tinkerbell/${name}`, mode: 0o644, content };
}

async function currentKernelPackage(archive: DebianArchive, { debian }: Architecture): Promise<string> {
  const needs = await archive.dependencies(`linux-image-${debian}`);
  const found = needs.find((name) => name.startsWith('linux-image-'));
  if (found === undefined) throw new Error(`linux-image-${debian} depends on no linux-image package`);
  return found;
}

function entryInput(entry: CpioEntry): Buffer {
  const content = entry.kind === 'file' ? Buffer.from(entry.content) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from(JSON.stringify({ ...entry, content: '' })), content]);
}

async function writeArtifact(path: string, bytes: Uint8Array): Promise<HookArtifact> {
  await replaceFile(path, bytes);
  return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
