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

import { defaultBootEntry, type BootEntry } from './grub-configuration.ts';

const GRUB_CONFIGURATION = 'boot/grub/grub.cfg';

interface Settings {
  readonly device: string;
  readonly fileSystem: string;
  readonly kernelPath: string | undefined;
  readonly initramfsPath: string | undefined;
  readonly commandLine: string | undefined;
  readonly grubConfigurationPath: string;
}

/**
 * Loads the kernel of the file system on a block device; the agent starts it, without firmware, once this
 * action's success is acknowledged. Variables as in upstream's kexec: BLOCK_DEVICE, FS_TYPE, KERNEL_PATH,
 * INITRD_PATH, CMD_LINE, GRUBCFG_PATH. Without KERNEL_PATH the default entry of grub.cfg is booted.
 */
export const kexecAction = defineAction('kexec', async (environment, context) => {
  const settings = readSettings(environment);
  const request = { ...settings, readOnly: true };
  const kernelPath = await withMounted(request, context, (root) => load(root, settings));
  return { message: `loaded ${kernelPath} from ${settings.device}`, afterReport: 'kexec' as const };
});

function readSettings(environment: Environment): Settings {
  const read = readEnvironment('kexec', environment);
  const settings = {
    device: read.absolutePath('BLOCK_DEVICE', 'the partition with the kernel, for example /dev/sda1'),
    fileSystem: read.required('FS_TYPE', 'its file system, for example ext4'),
    kernelPath: read.optional('KERNEL_PATH'),
    initramfsPath: read.optional('INITRD_PATH'),
    commandLine: read.optional('CMD_LINE'),
    grubConfigurationPath: read.optional('GRUBCFG_PATH') ?? GRUB_CONFIGURATION,
  };
  read.finish();
  return settings;
}

async function load(root: string, settings: Settings): Promise<string> {
  const entry = await entryFor(root, settings);
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

async function entryFor(root: string, settings: Settings): Promise<BootEntry> {
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
  if (entry === undefined) {
    throw new ActionError(
      `${settings.device} has no ${path} with a kernel in it: set KERNEL_PATH and INITRD_PATH, or GRUBCFG_PATH`,
    );
  }
  return { ...entry, commandLine: settings.commandLine ?? entry.commandLine };
}

/** The kernel takes one file; several, such as microcode and the real one, are put one after another. */
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
