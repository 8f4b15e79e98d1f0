import { open, rename, rm } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

import {
  defineAction,
  directoryBelow,
  readEnvironment,
  withMounted,
  type Environment,
} from '@tinkerbell/action-kit';

/** The highest user and group id of Linux. */
const ID_MAX = 4_294_967_294;

export interface FileRequest {
  readonly path: string;
  readonly contents: string;
  readonly owner: number;
  readonly group: number;
  readonly mode: number;
  readonly directoryMode: number;
}

/**
 * Writes CONTENTS to DEST_PATH of the file system on DEST_DISK, and creates the directories above it.
 * Variables as in upstream's writefile: DEST_DISK, FS_TYPE, DEST_PATH, CONTENTS, UID, GID, MODE, DIRMODE.
 */
export const writefileAction = defineAction('writefile', async (environment, context) => {
  const { device, fileSystem, file } = readSettings(environment);
  await withMounted({ device, fileSystem }, context, (root) => writeBelow(root, file));
  return { message: `wrote ${Buffer.byteLength(file.contents)} bytes to ${file.path} on ${device}` };
});

function readSettings(environment: Environment): {
  device: string;
  fileSystem: string;
  file: FileRequest;
} {
  const read = readEnvironment('writefile', environment);
  const settings = {
    device: read.absolutePath('DEST_DISK', 'the partition to write to, for example /dev/sda1'),
    fileSystem: read.required('FS_TYPE', 'its file system, for example ext4'),
    file: {
      path: read.absolutePath('DEST_PATH', 'the file, for example /etc/hostname'),
      contents: read.optional('CONTENTS') ?? '',
      owner: read.integer('UID', { minimum: 0, maximum: ID_MAX }),
      group: read.integer('GID', { minimum: 0, maximum: ID_MAX }),
      mode: read.mode('MODE'),
      directoryMode: read.mode('DIRMODE'),
    },
  };
  if (settings.file.path.endsWith('/')) read.problem('DEST_PATH names a directory, not a file');
  read.finish();
  return settings;
}

/**
 * Writes a file below `root`. The new content gets a temporary name first, so that a power cut leaves the old
 * file or the new one. Never leaves `root` through a symbolic link.
 */
export async function writeBelow(root: string, file: FileRequest): Promise<void> {
  const path = normalize(file.path);
  const { owner, group, directoryMode: mode } = file;
  const directory = await directoryBelow(root, dirname(path), { owner, group, mode });
  const target = join(directory, path.slice(path.lastIndexOf('/') + 1));
  const partial = `${target}.partial`;
  // Must be a new file: a link or a pipe of that name would lead elsewhere, or wait for a reader.
  await rm(partial, { recursive: true, force: true });
  const handle = await open(partial, 'wx', 0o600);
  try {
    await handle.writeFile(file.contents);
    await handle.chown(file.owner, file.group);
    await handle.chmod(file.mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, target);
}
