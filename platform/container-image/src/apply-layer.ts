/** Applies one layer to a tree: OCI image specification v1.1, "Applying Changesets". */
import {
  closeSync,
  ftruncateSync,
  lutimesSync,
  openSync,
  writeSync,
  constants,
  linkSync,
  symlinkSync,
  mkdirSync,
  lchownSync,
  chmodSync,
} from 'node:fs';
import { codeOf, PlatformError } from '@tinkerbell/platform-contract';
import { readTar, TarError, type TarEntry } from '@tinkerbell/tar';
import { entryParts } from './entry-path.ts';
import { layerBytes, type CompressedLayer } from './layer-bytes.ts';
import { layerFailure } from './layer-failure.ts';
import type { Place, RootedTree } from './rooted-tree.ts';
import { makeSpecialFile, setAttribute } from './system-calls.ts';
import { TouchedPlaces } from './touched-places.ts';
import { applyWhiteout, isWhiteout } from './whiteout.ts';

export interface Layer extends CompressedLayer {
  /** Entries that the layer may have. */
  readonly maxEntries: number;
  readonly signal?: AbortSignal | undefined;
}

export interface AppliedLayer {
  readonly entries: number;
  /** Extended attributes that the file system does not support. */
  readonly skippedAttributes: number;
}

const ID_MAX = 2 ** 32 - 2;

/** Rejects with a PlatformError. The tree is then incomplete and must not be used. */
export async function applyLayer(tree: RootedTree, layer: Layer): Promise<AppliedLayer> {
  const bytes = layerBytes(layer);
  const run = {
    tree,
    touched: new TouchedPlaces(),
    times: new Map<string, DirectoryTime>(),
    skippedAttributes: 0,
  };
  let entries = 0;
  try {
    for await (const entry of readTar(bytes)) {
      layer.signal?.throwIfAborted();
      entries += 1;
      if (entries > layer.maxEntries)
        throw new PlatformError(
          'too-large',
          `the image has more than ${layer.maxEntries} entries in one layer`,
        );
      await applyEntry(entry, run);
    }
    // The archive may end before its stream. The digest covers the rest, too.
    while ((await bytes.next()).done !== true) layer.signal?.throwIfAborted();
  } catch (cause) {
    if (cause instanceof TarError)
      throw new PlatformError('damaged', `a layer is damaged: ${cause.message}`, { cause });
    throw cause;
  } finally {
    await bytes.return();
  }
  setDirectoryTimes(run);
  return { entries, skippedAttributes: run.skippedAttributes };
}

interface DirectoryTime {
  readonly place: Place;
  readonly seconds: number;
}

interface Run {
  readonly tree: RootedTree;
  /** What this layer has written. Its whiteouts do not apply to it. */
  readonly touched: TouchedPlaces;
  /** Set at the end, because every new entry changes the time of its directory. */
  readonly times: Map<string, DirectoryTime>;
  skippedAttributes: number;
}

async function applyEntry(entry: TarEntry, run: Run): Promise<void> {
  const parts = entryParts(entry.name);
  if (isWhiteout(parts))
    return applyWhiteout(parts, { ...run, keepTime: (directory) => keepTime(directory, run) });
  const place = run.tree.place(parts, 'create');
  if (place === undefined) return;
  keepTime(place.slice(0, -1), run);
  try {
    await writeEntry(entry, place, run);
  } catch (error) {
    if (error instanceof PlatformError || codeOf(error) === undefined) throw error;
    const code = codeOf(error) === 'ENOSPC' ? 'too-large' : 'unavailable';
    throw layerFailure(code, entry.name, String(codeOf(error)));
  }
}

/** A new entry must not change the time of a directory that a lower layer has set. */
function keepTime(place: Place, { tree, times }: Run): void {
  const name = place.join('/');
  if (times.has(name)) return;
  times.set(name, { place, seconds: (tree.stat(place)?.mtimeMs ?? 0) / 1000 });
}

async function writeEntry(entry: TarEntry, place: Place, run: Run): Promise<void> {
  const { tree, touched, times } = run;
  if (Math.max(entry.userId, entry.groupId) > ID_MAX || Math.min(entry.userId, entry.groupId) < 0)
    throw layerFailure('damaged', entry.name, `the owner ${entry.userId}:${entry.groupId} is out of range`);
  makeRoom(entry, place, tree);
  touched.add(place);
  await create(entry, place, tree);
  // A hard link shares what its target has.
  if (entry.type === 'hard-link') return;
  const path = tree.path(place);
  lchownSync(path, entry.userId, entry.groupId);
  // After the owner, because a change of the owner clears setuid and capabilities.
  if (entry.type !== 'symbolic-link') chmodSync(path, entry.mode);
  for (const [name, value] of entry.attributes)
    if (!setAttribute(path, name, value)) run.skippedAttributes += 1;
  if (entry.type === 'directory') times.set(place.join('/'), { place, seconds: entry.modifiedSeconds });
  else lutimesSync(path, entry.modifiedSeconds, entry.modifiedSeconds);
}

/** Removes what the entry replaces. A directory keeps its contents. */
function makeRoom(entry: TarEntry, place: Place, tree: RootedTree): void {
  const existing = tree.stat(place);
  if (existing === undefined || (existing.isDirectory() && entry.type === 'directory')) return;
  if (place.length === 0) throw layerFailure('damaged', entry.name, 'the root must be a directory');
  tree.remove(place);
}

async function create(entry: TarEntry, place: Place, tree: RootedTree): Promise<void> {
  const path = tree.path(place);
  switch (entry.type) {
    case 'file':
      await writeFile(entry, path);
      return;
    case 'directory':
      if (tree.stat(place) === undefined) mkdirSync(path);
      return;
    case 'symbolic-link':
      symlinkSync(Buffer.from(entry.linkName, 'latin1'), path);
      tree.changed();
      return;
    case 'hard-link':
      linkSync(tree.path(linkTarget(entry, tree)), path);
      return;
    case 'fifo':
    case 'character-device':
    case 'block-device':
      makeSpecialFile(path, { type: entry.type, major: entry.deviceMajor, minor: entry.deviceMinor });
      return;
    default:
      entry.type satisfies never;
  }
}

function linkTarget({ name, linkName }: TarEntry, tree: RootedTree): Place {
  const target = tree.place(entryParts(linkName), 'decline');
  const stats = target === undefined ? undefined : tree.stat(target);
  if (target === undefined || stats === undefined || stats.isDirectory())
    throw layerFailure('damaged', name, 'its hard link has no target in the image');
  return target;
}

/** Holes stay holes. */
async function writeFile(entry: TarEntry, path: Buffer): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const descriptor = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    if (entry.size > 0) ftruncateSync(descriptor, entry.size);
    for await (const { offset, bytes } of entry.body) {
      for (let done = 0; done < bytes.length;)
        done += writeSync(descriptor, bytes, done, bytes.length - done, offset + done);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A later entry may have replaced a parent by a link. */
function setDirectoryTimes({ tree, times }: Run): void {
  for (const { place, seconds } of times.values()) {
    if (!tree.isDirect(place) || tree.stat(place)?.isDirectory() !== true) continue;
    lutimesSync(tree.path(place), seconds, seconds);
  }
}
