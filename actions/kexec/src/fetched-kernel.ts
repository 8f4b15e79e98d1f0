/** Loads a kernel and its initramfs from HTTP, as an installer of a vendor publishes them. No disk is read or written. */
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ActionError,
  downloadImage,
  loadKernel,
  readEnvironment,
  type ActionContext,
  type Environment,
} from '@tinkerbell/action-kit';

const RETRY_MS = 60_000;
const ADVICE = 'Check the address and the server of the file';

interface RemoteFile {
  readonly url: URL;
  /** Lower-case hexadecimal digits. */
  readonly sha256: string | undefined;
}

export interface FetchedKernel {
  readonly kernel: RemoteFile;
  readonly initramfs: RemoteFile | undefined;
  readonly commandLine: string;
}

/** What only a kernel on a disk has. */
const OF_DISKS = ['BLOCK_DEVICE', 'FS_TYPE', 'KERNEL_PATH', 'INITRD_PATH', 'GRUBCFG_PATH'];

/** Returns undefined without KERNEL_URL. */
export function readFetchedKernel(environment: Environment): FetchedKernel | undefined {
  const read = readEnvironment('kexec', environment);
  if (read.optional('KERNEL_URL') === undefined) return undefined;
  const checksum = (name: string): string | undefined => {
    const text = read.optional(name);
    const hex = /^sha256:([0-9a-f]{64})$/i.exec(text ?? '')?.[1];
    if (text !== undefined && hex === undefined)
      read.problem(`${name}=${text} must be sha256: and 64 hexadecimal digits`);
    return hex?.toLowerCase();
  };
  const kernel = {
    url: read.httpUrl('KERNEL_URL', 'the address of the kernel'),
    sha256: checksum('KERNEL_CHECKSUM'),
  };
  const initramfs =
    read.optional('INITRD_URL') === undefined
      ? undefined
      : {
          url: read.httpUrl('INITRD_URL', 'the address of the initramfs'),
          sha256: checksum('INITRD_CHECKSUM'),
        };
  for (const name of OF_DISKS)
    if (read.optional(name) !== undefined)
      read.problem(`${name} is for a kernel on a disk: remove it, or KERNEL_URL`);
  read.finish();
  return { kernel, initramfs, commandLine: read.optional('CMD_LINE') ?? '' };
}

/**
 * Resolves with what was loaded.
 *
 * @throws ActionError when a file is unreachable, has another checksum, or is not a kernel.
 */
export async function loadFetched(
  { kernel, initramfs, commandLine }: FetchedKernel,
  context: ActionContext,
): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'kexec-'));
  const handles: FileHandle[] = [];
  const fetched = async (file: RemoteFile, name: string): Promise<number> => {
    const handle = await open(join(work, name), 'w+');
    handles.push(handle);
    await fetchInto(handle, file, context);
    return handle.fd;
  };
  try {
    // The kernel refuses a file that is open for writing.
    await fetched(kernel, 'kernel');
    if (initramfs !== undefined) await fetched(initramfs, 'initramfs');
    for (const handle of handles.splice(0)) await handle.close();
    const reopened = async (name: string): Promise<number> => {
      const handle = await open(join(work, name));
      handles.push(handle);
      return handle.fd;
    };
    const result = loadKernel({
      kernelDescriptor: await reopened('kernel'),
      initramfsDescriptor: initramfs === undefined ? undefined : await reopened('initramfs'),
      commandLine,
    });
    if (!result.ok) throw new ActionError(`the kernel refused to load ${kernel.url.href}: ${result.error}`);
    return `loaded ${kernel.url.href}`;
  } finally {
    for (const handle of handles) await handle.close();
    await rm(work, { recursive: true });
  }
}

async function fetchInto(
  handle: FileHandle,
  { url, sha256 }: RemoteFile,
  context: ActionContext,
): Promise<void> {
  const { signal, clock, log } = context;
  context.progress({ message: `fetching ${url.href}` });
  const hash = createHash('sha256');
  const request = { url, retryForMs: RETRY_MS, signal, clock, log, advice: ADVICE, onTotal() {} };
  for await (const chunk of downloadImage(request)) {
    hash.update(chunk);
    await handle.writeFile(chunk);
  }
  const found = hash.digest('hex');
  if (sha256 !== undefined && found !== sha256)
    throw new ActionError(`${url.href} has the SHA-256 ${found}, expected ${sha256}`);
}
