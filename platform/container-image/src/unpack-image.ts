/** Downloads the layers of an image and applies them. */
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { layerCompression, type Descriptor } from '@tinkerbell/oci';
import { PlatformError } from '@tinkerbell/platform-contract';
import type { PulledImage, RegistryClient } from '@tinkerbell/registry-client';
import { applyLayer } from './apply-layer.ts';
import { RootedTree } from './rooted-tree.ts';

/** More of them compete for the same network card. */
const DOWNLOADS_AT_ONCE = 3;
const ENTRIES_MAX = 1_000_000;
const DOWNLOAD_ATTEMPTS = 2;
/** Left for the machine, because the directory may be in memory. */
const FREE_BYTES_KEPT = 64 * 1024 * 1024;

export interface UnpackRequest {
  readonly client: RegistryClient;
  readonly image: PulledImage;
  /** Absent or empty. Gets `rootfs`, and `layers` while layers are downloaded. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Called with the bytes of each chunk that was downloaded. */
  readonly onBytes?: (bytes: number) => void;
}

export interface UnpackedImage {
  readonly root: string;
  readonly tree: RootedTree;
  readonly skippedAttributes: number;
}

/** Rejects with a PlatformError. Every digest is verified before a layer is applied. */
export async function unpackImage(request: UnpackRequest): Promise<UnpackedImage> {
  const { image, directory } = request;
  const root = join(directory, 'rootfs');
  const layers = join(directory, 'layers');
  await mkdir(layers, { recursive: true, mode: 0o700 });
  await mkdir(root, { mode: 0o755 });
  const tree = new RootedTree(root);
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  let skippedAttributes = 0;
  try {
    const downloads = startDownloads({ ...request, signal }, layers);
    for (const [index, descriptor] of image.manifest.layers.entries()) {
      const diffId = image.config.diffIds[index];
      const file = await downloads[index];
      if (diffId === undefined || file === undefined) break;
      const applied = await applyLayer(tree, {
        bytes: createReadStream(file, { highWaterMark: 256 * 1024 }),
        compression: layerCompression(descriptor.mediaType) ?? 'none',
        diffId,
        maxBytes: await freeBytes(directory),
        maxEntries: ENTRIES_MAX,
        signal,
      });
      skippedAttributes += applied.skippedAttributes;
      await rm(file);
    }
  } finally {
    stop.abort();
    await rm(layers, { recursive: true, force: true });
  }
  return { root, tree, skippedAttributes };
}

/** A download waits for the one that was started three before it. */
function startDownloads(request: UnpackRequest, directory: string): readonly Promise<string>[] {
  const downloads: Promise<string>[] = [];
  for (const [index, descriptor] of request.image.manifest.layers.entries()) {
    const before = downloads[index - DOWNLOADS_AT_ONCE] ?? Promise.resolve('');
    const file = join(directory, String(index));
    const download = before.then(() => downloadLayer(request, descriptor, file));
    // Awaited in order. Until then a failure must not count as unhandled.
    download.catch(() => undefined);
    downloads.push(download);
  }
  return downloads;
}

/** A mirror may have a damaged copy. The second attempt asks the endpoints in the opposite order. */
async function downloadLayer(request: UnpackRequest, descriptor: Descriptor, path: string): Promise<string> {
  const { image, client, directory, signal } = request;
  if (descriptor.size > (await freeBytes(directory)))
    throw new PlatformError(
      'too-large',
      `a layer of ${descriptor.size} bytes exceeds the free space at ${directory}`,
    );
  let sessions = image.sessions;
  for (let attempt = 1; ; attempt += 1) {
    const file = await open(path, 'w', 0o600);
    try {
      for await (const chunk of client.blob({ ...image, sessions }, descriptor, signal)) {
        await file.writeFile(chunk);
        request.onBytes?.(chunk.length);
      }
      return path;
    } catch (error) {
      const isDamaged = error instanceof PlatformError && error.code === 'damaged';
      if (!isDamaged || attempt >= DOWNLOAD_ATTEMPTS || sessions.length < 2) throw error;
      sessions = sessions.toReversed();
    } finally {
      await file.close();
    }
  }
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return Math.max(0, bavail * bsize - FREE_BYTES_KEPT);
}
