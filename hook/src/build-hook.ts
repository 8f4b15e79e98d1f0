import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { bundleAgent } from './agent-bundle.ts';
import type { CpioEntry } from './cpio.ts';
import { openDebianArchive, type DebianArchive } from './debian-archive.ts';
import { collectModules, KERNEL_MODULES } from './kernel-modules.ts';
import {
  busyboxEntries,
  configurationEntries,
  LIBRARY_PACKAGES,
  libraryEntries,
  nodeEntry,
  nodeFingerprint,
} from './root-file-system.ts';
import { runCommand } from './run-command.ts';
import { buildSegment, fromCache } from './segment.ts';

const DEBIAN_SUITE = 'bookworm';

/** Quick to make, and 22 % larger than the release level. */
const ZSTD_LEVEL_DEVELOPMENT = 3;
const ZSTD_LEVEL_RELEASE = 19;

export interface HookOptions {
  readonly outputDirectory: string;
  readonly cacheDirectory: string;
  /** Smallest download instead of quickest build. */
  readonly release: boolean;
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
  /** Compressed bytes of each part of the initramfs. */
  readonly segments: Readonly<Record<string, number>>;
}

/**
 * Writes `vmlinuz-x86_64` and `initramfs-x86_64` (upstream's file names) to the output directory. Equal
 * packages, sources and level give equal bytes.
 */
export async function buildHook(options: HookOptions): Promise<HookBuild> {
  const tell = options.onProgress ?? ((): void => undefined);
  const archive = await openDebianArchive({ suite: DEBIAN_SUITE, cacheDirectory: options.cacheDirectory });
  const kernelPackage = await currentKernelPackage(archive);
  const packages = [kernelPackage, 'busybox-static', ...LIBRARY_PACKAGES];
  tell(`packages: ${packages.join(' ')}`);
  const files = await archive.download(packages);
  const [kernelFile = '', busyboxFile = '', ...libraryFiles] = files;
  const kernelRelease = kernelPackage.replace(/^linux-image-/, '');

  const work = await mkdtemp(join(tmpdir(), 'hook-'));
  try {
    const zstdLevel = options.release ? ZSTD_LEVEL_RELEASE : ZSTD_LEVEL_DEVELOPMENT;
    const segment = async (
      name: string,
      inputs: readonly (string | Uint8Array)[],
      entries: () => Promise<readonly CpioEntry[]>,
    ): Promise<[string, Uint8Array]> => {
      const bytes = await buildSegment({
        name,
        inputs,
        zstdLevel,
        cacheDirectory: options.cacheDirectory,
        entries,
      });
      tell(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB`);
      return [name, bytes];
    };

    // The largest package: not unpacked when what it gives is in the cache.
    let unpacked: Promise<string> | undefined;
    const kernelRoot = (): Promise<string> => (unpacked ??= unpack([kernelFile], join(work, 'kernel')));
    const moduleInputs = [kernelFile, ...KERNEL_MODULES];
    const agent = await bundleAgent();
    const configuration = await configurationEntries();
    const segments = [
      await segment('programs', [busyboxFile, ...libraryFiles], async () => {
        const busyboxRoot = await unpack([busyboxFile], join(work, 'busybox'));
        const libraryRoot = await unpack(libraryFiles, join(work, 'libraries'));
        return [...(await busyboxEntries(busyboxRoot)), ...(await libraryEntries(libraryRoot))];
      }),
      await segment('modules', moduleInputs, async () =>
        collectModules(await kernelRoot(), kernelRelease, join(work, 'modules')),
      ),
      await segment('node', [await nodeFingerprint()], async () => [await nodeEntry(work)]),
      await segment('configuration', configuration.map(entryInput), async () => configuration),
      await segment(
        'agent',
        agent.flatMap(({ name, content }) => [name, content]),
        async () =>
          agent.map(({ name, content }) => ({
            kind: 'file',
            path: `usr/lib/tinkerbell/${name}`,
            mode: 0o644,
            content,
          })),
      ),
    ];

    await mkdir(options.outputDirectory, { recursive: true });
    const kernelPlace = { name: 'vmlinuz', inputs: [kernelFile], cacheDirectory: options.cacheDirectory };
    const kernel = await fromCache(kernelPlace, async () =>
      readFile(join(await kernelRoot(), 'boot', `vmlinuz-${kernelRelease}`)),
    );
    const initramfs = Buffer.concat(segments.map(([, bytes]) => bytes));
    return {
      kernelRelease,
      kernel: await writeArtifact(join(options.outputDirectory, 'vmlinuz-x86_64'), kernel),
      initramfs: await writeArtifact(join(options.outputDirectory, 'initramfs-x86_64'), initramfs),
      segments: Object.fromEntries(segments.map(([name, bytes]) => [name, bytes.length])),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function currentKernelPackage(archive: DebianArchive): Promise<string> {
  const needs = await archive.dependencies('linux-image-amd64');
  const found = needs.find((name) => name.startsWith('linux-image-'));
  if (found === undefined) throw new Error('linux-image-amd64 depends on no linux-image package');
  return found;
}

async function unpack(files: readonly string[], directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  for (const file of files) await runCommand('dpkg-deb', ['-x', file, directory]);
  if ((await readdir(directory)).length === 0) throw new Error(`nothing in ${files.join(', ')}`);
  return directory;
}

function entryInput(entry: CpioEntry): Buffer {
  const content = entry.kind === 'file' ? Buffer.from(entry.content) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from(JSON.stringify({ ...entry, content: '' })), content]);
}

async function writeArtifact(path: string, bytes: Uint8Array): Promise<HookArtifact> {
  await writeFile(path, bytes);
  return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
