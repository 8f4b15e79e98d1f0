/** Writes images to a folder: OCI image specification v1.1, "image-layout". */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { encodeImageIndex, hexOf } from '@tinkerbell/oci';

import { replaceFile } from '../replace-file.ts';
import { descriptorOf, type BuiltImage } from './built-image.ts';

const LAYOUT_FILE = 'oci-layout';
const LAYOUT = '{"imageLayoutVersion":"1.0.0"}';

/**
 * Replaces the images of a folder. Its list is replaced at once, after the files that it names, and files that no image
 * needs are removed.
 *
 * @throws Error for a folder that has something else.
 */
export async function writeLayout(directory: string, images: readonly BuiltImage[]): Promise<void> {
  await mkdir(directory, { recursive: true });
  const present = await readdir(directory);
  if (present.length > 0 && !present.includes(LAYOUT_FILE))
    throw new Error(`${directory} has other files: choose an empty folder with --out`);
  const blobDirectory = join(directory, 'blobs/sha256');
  await mkdir(blobDirectory, { recursive: true });
  await replaceFile(join(directory, LAYOUT_FILE), Buffer.from(LAYOUT));
  const needed = new Set<string>();
  for (const { digest, bytes } of images.flatMap(({ blobs, manifests }) => [...blobs, ...manifests])) {
    const name = hexOf(digest);
    if (needed.has(name)) continue;
    needed.add(name);
    const path = join(blobDirectory, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.size !== bytes.length) await replaceFile(path, bytes);
  }
  await replaceFile(join(directory, 'index.json'), encodeImageIndex(images.map(entryOf)));
  for (const name of await readdir(blobDirectory)) if (!needed.has(name)) await rm(join(blobDirectory, name));
}

/** Returns the files of a layout with these images, for an archive. */
export function layoutFiles(images: readonly BuiltImage[]): ReadonlyMap<string, Uint8Array> {
  const blobs = images.flatMap(({ blobs, manifests }) => [...blobs, ...manifests]);
  return new Map([
    [LAYOUT_FILE, Buffer.from(LAYOUT)],
    ['index.json', encodeImageIndex(images.map(entryOf))],
    ...blobs.map(({ digest, bytes }) => [`blobs/sha256/${hexOf(digest)}`, bytes] as const),
  ]);
}

function entryOf({ name, manifests }: BuiltImage) {
  const top = manifests.at(-1);
  if (top === undefined) throw new TypeError(`${name} has no manifest`);
  const annotations = { 'org.opencontainers.image.ref.name': name };
  return { ...descriptorOf(top), annotations };
}
