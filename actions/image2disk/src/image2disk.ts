import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';

import {
  ActionError,
  assertBlockDevice,
  decompress,
  defineAction,
  detectCompression,
  deviceSize,
  downloadImage,
  formatBytes,
  openDiskWriter,
  peekStart,
  progressMeter,
  type ActionContext,
  type WriteTotals,
} from '@tinkerbell/action-kit';

import { sizesOf } from '@tinkerbell/images';

import { openChunkDisk } from './chunked/chunk-disk.ts';
import { ChunkThreads } from './chunked/chunk-threads.ts';
import { isManifestUrl, readRegistryImage } from './chunked/registry-image.ts';
import { writeChunks, type ChunkTotals } from './chunked/write-chunks.ts';
import { readSettings, type Settings } from './settings.ts';

/** The part of an image that reveals a web page. */
const PAGE_START_BYTES = 256;

/**
 * Streams a disk image from HTTP to a disk, and unpacks it on the way. Upstream: the image2disk action. A
 * broken download is resumed. See `settings.ts` for the variables.
 */
export const image2diskAction = defineAction('image2disk', async (environment, context) => {
  const settings = readSettings(environment);
  await assertWritable(settings.disk);
  if (isManifestUrl(settings.url)) return { message: await writeRegistryImage(settings, context) };
  const started = context.clock.monotonicMs();
  const totals = await writeImage(settings, context);
  const seconds = Math.max((context.clock.monotonicMs() - started) / 1000, 0.001);
  const rate = formatBytes(totals.bytes / seconds);
  return {
    message: `wrote ${formatBytes(totals.bytes)} to ${settings.disk} in ${seconds.toFixed(1)} s (${rate}/s)`,
  };
});

/** A file is accepted where it exists already. A missing name under /dev must not become a file in memory. */
async function assertWritable(disk: string): Promise<void> {
  const info = await stat(disk).catch(() => undefined);
  if (info?.isFile() !== true) await assertBlockDevice(disk);
}

async function writeRegistryImage(settings: Settings, context: ActionContext): Promise<string> {
  const { url, disk: path, retryForMs, sha256, withPeers } = settings;
  const { signal, clock, log } = context;
  const request = { url, retryForMs, signal, clock, log };
  await using threads = new ChunkThreads();
  const registry = await readRegistryImage(request, sha256);
  const { image } = registry;
  const sizes = { sizeBytes: await deviceSize(path), imageBytes: image.diskBytes };
  await using disk = await openChunkDisk(path, sizes, signal);
  const meter = progressMeter(settings.progressIntervalMs, context);
  meter.setTotal(sizesOf(image).dataBytes);
  log.info('writing disk image', { url: url.href, disk: path, chunks: image.chunks.length });
  const totals = await writeChunks({
    registry,
    disk,
    request,
    threads,
    peersFrom: withPeers ? url : undefined,
    done: (bytes) => meter.add(bytes),
  });
  context.progress({ message: `syncing ${path}` });
  await disk.finish();
  return `wrote a disk of ${formatBytes(image.diskBytes)} to ${path}: ${summaryOf(totals)}`;
}

function summaryOf({ fetchedBytes, peerBytes, damagedFrom, keptChunks, chunks }: ChunkTotals): string {
  const damaged = [...damagedFrom].map(([address, count]) => `${count} from ${address}`);
  return [
    `${formatBytes(fetchedBytes)} fetched`,
    ...(peerBytes === 0 ? [] : [`${formatBytes(peerBytes)} from other agents`]),
    `${keptChunks} of ${chunks} chunks kept`,
    ...(damaged.length === 0 ? [] : [`damaged chunks: ${damaged.join(', ')}`]),
  ].join(', ');
}

async function writeImage(settings: Settings, context: ActionContext): Promise<WriteTotals> {
  const meter = progressMeter(settings.progressIntervalMs, context);
  const hash = settings.sha256 === undefined ? undefined : createHash('sha256');
  // When the image has failed, nobody needs an open connection.
  const ended = new AbortController();
  const download = downloadImage({
    url: settings.url,
    retryForMs: settings.retryForMs,
    signal: AbortSignal.any([context.signal, ended.signal]),
    clock: context.clock,
    log: context.log,
    onTotal: (bytes) => meter.setTotal(bytes),
  });
  async function* counted(): AsyncGenerator<Buffer, void> {
    for await (const chunk of download) {
      hash?.update(chunk);
      meter.add(chunk.length);
      yield chunk;
    }
  }
  const writer = await openDiskWriter(settings.disk, await deviceSize(settings.disk), context.signal);
  try {
    const { start, source } = await peekStart(counted());
    const compression = settings.compression === 'detect' ? detectCompression(start) : settings.compression;
    assertNoPage(start, settings.url);
    context.log.info('writing image', { url: settings.url.href, disk: settings.disk, compression });
    for await (const chunk of decompress(source, compression)) await writer.write(chunk);
    const digest = hash?.digest('hex');
    if (digest !== settings.sha256) {
      throw new ActionError(
        `the image's SHA-256 is ${digest}, IMG_CHECKSUM says ${settings.sha256}: the disk holds a wrong image`,
      );
    }
    context.progress({ message: `syncing ${settings.disk}` });
    const totals = await writer.finish();
    if (totals.bytes === 0)
      throw new ActionError(`${settings.url.href} is empty: there is nothing to write to ${settings.disk}`);
    return totals;
  } finally {
    ended.abort();
    await writer.close();
  }
}

/** The pages that a web server sends for a login or a missing file, with the status of an image. */
function assertNoPage(start: Buffer, url: URL): void {
  const text = start.subarray(0, PAGE_START_BYTES).toString('latin1');
  if (/^[\s\u00ef\u00bb\u00bf]*<(!doctype html|html)[\s>]/i.test(text))
    throw new ActionError(
      `${url.href} is a web page and not an image: does the server ask for a login, or redirect?`,
    );
}
