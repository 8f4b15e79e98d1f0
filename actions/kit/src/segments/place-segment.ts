import { chmod, mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';

import { messageOf } from '@tinkerbell/platform-contract';
import { readTar, TarError, type TarEntry } from '@tinkerbell/tar';

import { ActionError } from '../action-error.ts';
import { writeFully } from '../write-fully.ts';

/** The largest segment has 20 MB. */
const UNPACKED_MAX_BYTES = 256 * 1024 * 1024;
const PARTIAL = '.partial';

const decompress = promisify(zstdDecompress);

/**
 * Unpacks a verified segment. Each file appears whole, so that a program that runs meanwhile sees the old one or
 * the new one.
 *
 * @throws ActionError when it is damaged, or has something other than files and links below the root.
 */
export async function placeSegment(content: Uint8Array, root: string): Promise<void> {
  try {
    const archive = await decompress(content, { maxOutputLength: UNPACKED_MAX_BYTES });
    for await (const entry of readTar(whole(archive))) await place(entry, root);
  } catch (cause) {
    if (cause instanceof ActionError) throw cause;
    const problem = cause instanceof TarError ? 'is not a tar archive' : 'cannot be unpacked';
    throw new ActionError(`the segment ${problem}: ${messageOf(cause)}`, { cause });
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

async function place(entry: TarEntry, root: string): Promise<void> {
  const target = join(root, checkedPath(entry.name));
  const partial = `${target}${PARTIAL}`;
  await mkdir(dirname(target), { recursive: true });
  await rm(partial, { force: true });
  if (entry.type === 'file') await writeFile(entry, partial);
  else if (entry.type === 'symbolic-link') await symlink(checkedPath(entry.linkName), partial);
  else throw new ActionError(`the segment has ${JSON.stringify(entry.name)}, which is a ${entry.type}`);
  await rename(partial, target);
}

async function writeFile({ body, mode }: TarEntry, path: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  for await (const { offset, bytes } of body) {
    await writeFully(file, bytes, offset);
  }
  await chmod(path, mode & 0o777);
}

/** Links lead to a file of the same directory. */
function checkedPath(name: string): string {
  const parts = name.split('/');
  if (name !== '' && parts.every((part) => !['', '.', '..'].includes(part)) && !name.includes('\0'))
    return name;
  throw new ActionError(
    `the segment has the name ${JSON.stringify(name)}, which is not a path below the root`,
  );
}
