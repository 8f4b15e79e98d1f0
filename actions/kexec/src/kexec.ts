import { appendFile, open, readFile, mkdtemp, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  ActionError,
  defineAction,
  loadKernel,
  readEnvironment,
  withMounted,
  type Environment,
} from '@tinkerbell/action-kit';

import { loadFetched, readFetchedKernel } from './fetched-kernel.ts';
import { defaultBootEntry, type BootEntry } from './grub-configuration.ts';
import { siblingPartitions } from './sibling-partitions.ts';

const GRUB_CONFIGURATION = 'boot/grub/grub.cfg';
/**
 * On a partition that is mounted at /boot, as in Ubuntu's cloud images since 23.10. Its paths also begin
 * there.
 */
const GRUB_ON_BOOT_PARTITION = 'grub/grub.cfg';

interface Settings {
  readonly device: string;
  readonly fileSystem: string;
  readonly kernelPath: string | undefined;
  readonly initramfsPath: string | undefined;
  readonly commandLine: string | undefined;
  readonly grubConfigurationPath: string;
  /** Neither a kernel nor a grub.cfg is named, so it may be on another partition. */
  readonly mayBeElsewhere: boolean;
}

/**
 * Loads the kernel of the file system on a block device. The agent starts it, without firmware, once this
 * action's success is acknowledged. Variables as in upstream's kexec: BLOCK_DEVICE, FS_TYPE, KERNEL_PATH,
 * INITRD_PATH, CMD_LINE, GRUBCFG_PATH. Without KERNEL_PATH the default entry of grub.cfg is booted, from
 * BLOCK_DEVICE or else from the partition of the same disk that is /boot. With KERNEL_URL no disk is read.
 */
export const kexecAction = defineAction('kexec', async (environment, context) => {
  const fetched = readFetchedKernel(environment);
  if (fetched !== undefined)
    return { message: await loadFetched(fetched, context), afterReport: 'kexec' as const };
  const settings = readSettings(environment);
  const siblings = settings.mayBeElsewhere ? await siblingPartitions(settings.device) : [];
  return { message: await loadFirst(settings, siblings, context), afterReport: 'kexec' as const };
});

/**
 * Loads from the device, or else from the first sibling with a grub.cfg. Resolves with what was loaded.
 * Throws an ActionError.
 */
export async function loadFirst(
  settings: Settings,
  siblings: readonly string[],
  context: Parameters<typeof withMounted>[1],
): Promise<string> {
  for (const one of [
    settings,
    ...siblings.map((device) => ({ ...settings, device, ...ON_BOOT_PARTITION })),
  ]) {
    const kernelPath = await loadedFrom(one, context);
    if (kernelPath !== undefined) return `loaded ${kernelPath} from ${one.device}`;
  }
  const elsewhere =
    siblings.length === 0 ? '' : `, and no other partition of its disk has ${GRUB_ON_BOOT_PARTITION}`;
  throw new ActionError(
    `${settings.device} has no ${settings.grubConfigurationPath} with a kernel in it${elsewhere}: set KERNEL_PATH and INITRD_PATH, or GRUBCFG_PATH`,
  );
}

const ON_BOOT_PARTITION = { grubConfigurationPath: GRUB_ON_BOOT_PARTITION, isTried: true } as const;

/**
 * Returns the kernel's path. Returns undefined without a grub.cfg, or when another partition cannot be
 * mounted.
 */
async function loadedFrom(
  settings: Settings & { readonly isTried?: boolean },
  context: Parameters<typeof withMounted>[1],
): Promise<string | undefined> {
  const entryOrNone = async (root: string) => {
    const entry = await entryFor(root, settings);
    return entry === undefined ? undefined : load(root, entry, settings);
  };
  const { device, fileSystem } = settings;
  let isMounted = false;
  try {
    return await withMounted({ device, fileSystem, readOnly: true }, context, (root) => {
      isMounted = true;
      return entryOrNone(root);
    });
  } catch (thrown) {
    // It belongs to another file system, so it is not /boot.
    if (settings.isTried === true && !isMounted && thrown instanceof ActionError) return undefined;
    throw thrown;
  }
}

export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('kexec', environment);
  const settings = {
    device: read.absolutePath('BLOCK_DEVICE', 'the partition with the kernel, for example /dev/sda1'),
    fileSystem: read.required('FS_TYPE', 'its file system, for example ext4'),
    kernelPath: read.optional('KERNEL_PATH'),
    initramfsPath: read.optional('INITRD_PATH'),
    commandLine: read.optional('CMD_LINE'),
    grubConfigurationPath: read.optional('GRUBCFG_PATH'),
  };
  read.finish();
  const { kernelPath, grubConfigurationPath } = settings;
  return {
    ...settings,
    grubConfigurationPath: grubConfigurationPath ?? GRUB_CONFIGURATION,
    mayBeElsewhere: kernelPath === undefined && grubConfigurationPath === undefined,
  };
}

async function load(root: string, entry: BootEntry, settings: Settings): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'kexec-'));
  const handles: FileHandle[] = [];
  const openFile = async (path: string): Promise<number> => {
    const name = path.slice(root.length);
    // A pipe would wait for its writer.
    const info = await stat(path).catch((cause: unknown) => {
      throw new ActionError(`${settings.device} has no ${name}`, { cause });
    });
    if (!info.isFile()) throw new ActionError(`${name} of ${settings.device} is not a file`);
    const handle = await open(path);
    handles.push(handle);
    return handle.fd;
  };
  try {
    const kernelDescriptor = await openFile(join(root, entry.kernelPath));
    const initramfsDescriptor = await openInitramfs(root, entry, { work, openFile });
    const result = loadKernel({
      kernelDescriptor,
      initramfsDescriptor,
      commandLine: entry.commandLine,
    });
    if (!result.ok) throw new ActionError(`the kernel refused to load ${entry.kernelPath}: ${result.error}`);
    return entry.kernelPath;
  } finally {
    for (const handle of handles) await handle.close();
    await rm(work, { recursive: true });
  }
}

/** Returns undefined without a grub.cfg that has a kernel. */
async function entryFor(root: string, settings: Settings): Promise<BootEntry | undefined> {
  if (settings.kernelPath !== undefined) {
    return {
      kernelPath: settings.kernelPath,
      initramfsPaths: settings.initramfsPath === undefined ? [] : [settings.initramfsPath],
      commandLine: settings.commandLine ?? '',
    };
  }
  const path = settings.grubConfigurationPath;
  const info = await stat(join(root, path)).catch(() => undefined);
  const text = info?.isFile() === true ? await readFile(join(root, path), 'utf8') : undefined;
  const entry = text === undefined ? undefined : defaultBootEntry(text);
  return entry === undefined
    ? undefined
    : { ...entry, commandLine: settings.commandLine ?? entry.commandLine };
}

/** The kernel accepts one file, so several, such as microcode and the real one, are concatenated. */
async function openInitramfs(
  root: string,
  entry: BootEntry,
  files: { readonly work: string; openFile(path: string): Promise<number> },
): Promise<number | undefined> {
  const [first, ...more] = entry.initramfsPaths.map((path) => join(root, path));
  if (first === undefined) return undefined;
  if (more.length === 0) return files.openFile(first);
  const joined = join(files.work, 'initramfs');
  for (const path of [first, ...more]) {
    await files.openFile(path);
    await appendFile(joined, await readFile(path));
  }
  return files.openFile(joined);
}
