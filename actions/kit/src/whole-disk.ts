import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { messageOf } from '@tinkerbell/platform-contract';

import { ActionError } from './action-error.ts';
import { assertBlockDevice } from './block-device.ts';

/**
 * Opens a disk for writing, and alone: the kernel refuses while it or one of its partitions is mounted or in
 * use.
 *
 * @throws ActionError when the disk is absent or in use.
 */
export async function openWholeDisk(path: string): Promise<FileHandle> {
  await assertBlockDevice(path);
  try {
    return await open(path, constants.O_RDWR | constants.O_EXCL);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EBUSY')
      throw new ActionError(`${path} is in use: unmount its partitions first`, { cause });
    throw new ActionError(`cannot open ${path}: ${messageOf(cause)}`, { cause });
  }
}
