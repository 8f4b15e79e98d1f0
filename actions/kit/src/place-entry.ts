import { chmod, chown, lchown, link, lstat, lutimes, open, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import type { TarEntry } from '@tinkerbell/tar';

import { ActionError } from './action-error.ts';
import type { ActionContext } from './action.ts';
import { directoryBelow } from './directory-below.ts';
import { mustRun } from './run-program.ts';
import { setAttribute } from './system-calls.ts';
import { tarPath, type FileEntry } from './tar-entry.ts';
import { writeFully } from './write-fully.ts';

/** Where an archive is unpacked. */
export interface Target {
  /** The root of the file system. Absolute links start here. */
  readonly root: string;
  /** A directory below it: `/`, `/opt/a`. It is created. */
  readonly directory: string;
}

interface Placement extends Target {
  readonly entry: FileEntry;
  readonly content: TarEntry['body'];
}

interface Placed {
  readonly path: string;
  readonly bytes: number;
}

/** Directories that the archive does not have. */
const MISSING = { owner: 0, group: 0, mode: 0o755 } as const;
/** Nobody else may read or run a file before it has its owner and mode. */
const PRIVATE = 0o600;

/** Creates what the entry describes. A directory gets its owner, mode and times later. */
export async function placeEntry(
  placement: Placement,
  context: Pick<ActionContext, 'signal'>,
): Promise<Placed> {
  const { entry, root, directory } = placement;
  const { path } = entry;
  if (entry.kind === 'directory') return { path: await makeDirectory(placement), bytes: 0 };
  const name = path.at(-1);
  if (name === undefined)
    throw new ActionError(`the archive's entry ${JSON.stringify(entry.name)} has no name`);
  const parent = await directoryBelow(root, join(directory, ...path.slice(0, -1)), MISSING);
  const target = join(parent, name);
  await removeOld(target, entry);
  const bytes = await create(target, placement, context);
  if (entry.kind !== 'hard-link') await setMetadata(target, entry);
  return { path: target, bytes };
}

/** A link to a directory stays, as `/lib` of a system with a merged `/usr`. */
async function makeDirectory({ entry, root, directory }: Placement): Promise<string> {
  const name = entry.path.at(-1);
  if (name !== undefined) {
    const parent = await directoryBelow(root, join(directory, ...entry.path.slice(0, -1)), MISSING);
    const info = await lstat(join(parent, name)).catch(() => undefined);
    const stays = info === undefined || info.isDirectory() || info.isSymbolicLink();
    if (!stays) await rm(join(parent, name));
  }
  return directoryBelow(root, join(directory, ...entry.path), MISSING);
}

async function removeOld(target: string, entry: FileEntry): Promise<void> {
  const info = await lstat(target).catch(() => undefined);
  if (info?.isDirectory() === true)
    throw new ActionError(`the archive's entry ${JSON.stringify(entry.name)} is a directory on the disk`);
  if (info !== undefined) await rm(target);
}

/** Returns the bytes of content. */
async function create(
  target: string,
  placement: Placement,
  context: Pick<ActionContext, 'signal'>,
): Promise<number> {
  const { entry } = placement;
  const { major, minor } = entry.device;
  switch (entry.kind) {
    case 'file':
      return writeFile(target, placement);
    case 'symbolic-link':
      await symlink(entry.linkName, target);
      return 0;
    case 'hard-link':
      await link(await linkTarget(placement), target);
      return 0;
    case 'fifo':
      await mustRun('mknod', ['-m', '600', target, 'p'], context);
      return 0;
    case 'character-device':
    case 'block-device': {
      const letter = entry.kind === 'block-device' ? 'b' : 'c';
      await mustRun('mknod', ['-m', '600', target, letter, String(major), String(minor)], context);
      return 0;
    }
    case 'directory':
      return 0;
    default:
      return entry.kind satisfies never;
  }
}

/** `wx` creates a new file and never follows a link. Holes stay holes. Returns the bytes of data. */
async function writeFile(target: string, { entry, content }: Placement): Promise<number> {
  await using file = await open(target, 'wx', PRIVATE);
  let written = 0;
  for await (const { offset, bytes } of content) {
    await writeFully(file, bytes, offset);
    written += bytes.length;
  }
  // A hole may be at the end.
  if (written < entry.sizeBytes) await file.truncate(entry.sizeBytes);
  return written;
}

/** A hard link names an earlier entry. The last element is not followed. */
async function linkTarget({ entry, root, directory }: Placement): Promise<string> {
  const path = tarPath(entry.linkName);
  const parent = await directoryBelow(root, join(directory, ...path.slice(0, -1)), MISSING);
  const target = join(parent, path.at(-1) ?? '');
  const info = await lstat(target).catch(() => undefined);
  if (info === undefined || info.isDirectory())
    throw new ActionError(
      `the archive's entry ${JSON.stringify(entry.name)} is a link to ${JSON.stringify(entry.linkName)}, which is not a file of the archive`,
    );
  return target;
}

/** The owner comes first, because a change of the owner clears setuid and capabilities. */
export async function setMetadata(path: string, entry: FileEntry): Promise<void> {
  const { owner, group, modifiedSeconds } = entry;
  if (entry.kind === 'symbolic-link') await lchown(path, owner, group);
  else {
    await chown(path, owner, group);
    await chmod(path, entry.mode);
  }
  for (const [name, value] of entry.attributes) {
    const result = setAttribute(path, name, value);
    if (!result.ok)
      throw new ActionError(
        `cannot set the attribute ${name} of ${JSON.stringify(entry.name)}: ${result.error}`,
      );
  }
  await lutimes(path, modifiedSeconds, modifiedSeconds);
}
