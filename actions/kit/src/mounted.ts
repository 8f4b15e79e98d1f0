import { mkdtemp, readFile, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ActionError, type ActionContext } from './action.ts';
import { assertBlockDevice } from './block-device.ts';
import { mustRun, runProgram } from './run-program.ts';

/** It writes nothing. */
const DETACH_LIMIT_MS = 5000;

export interface MountRequest {
  readonly device: string;
  /** `ext4`, `xfs`, `vfat`... as mount(8) accepts it. */
  readonly fileSystem: string;
  readonly readOnly?: boolean;
}

/**
 * Mounts a file system, runs `work` in it, and unmounts it again, also when `work` fails.
 *
 * @throws ActionError when the device is absent or cannot be mounted.
 */
export async function withMounted<Result>(
  request: MountRequest,
  context: Pick<ActionContext, 'signal'>,
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  await assertBlockDevice(request.device);
  const directory = await mkdtemp(join(tmpdir(), 'mount-'));
  const options = request.readOnly === true ? ['-o', 'ro'] : [];
  try {
    await mount(['-t', request.fileSystem, ...options, request.device, directory], context, request);
    try {
      return await work(directory);
    } finally {
      // The action's own timeout must not keep the disk mounted.
      await unmount(directory, context);
    }
  } finally {
    await rmdir(directory);
  }
}

/** Makes a directory of this system appear inside another file system too. `unmount` reverses it. */
export async function bindMount(
  source: string,
  target: string,
  context: Pick<ActionContext, 'signal'>,
): Promise<void> {
  await mustRun('mount', ['--bind', source, target], context);
}

/**
 * Waits for the writes to reach the disk, unless the action was stopped. A busy file system is detached, and
 * released when its last user ends.
 */
export async function unmount(directory: string, { signal }: Pick<ActionContext, 'signal'>): Promise<void> {
  if (!signal.aborted) {
    const ended = await runProgram('umount', [directory], { signal }).catch(() => undefined);
    if (ended?.code === 0) return;
  }
  await mustRun('umount', ['-l', directory], { signal: AbortSignal.timeout(DETACH_LIMIT_MS) });
}

async function mount(
  args: readonly string[],
  context: Pick<ActionContext, 'signal'>,
  request: MountRequest,
): Promise<void> {
  const { code, output } = await runProgram('mount', args, context);
  if (code === 0) return;
  const known = await readFile('/proc/filesystems', 'utf8').catch(() => '');
  const hint = known.includes(`\t${request.fileSystem}\n`)
    ? `is it formatted as ${request.fileSystem}?`
    : `this system does not know the file system ${request.fileSystem}`;
  throw new ActionError(`cannot mount ${request.device}: ${output.trim()}; ${hint}`);
}
