import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';

import {
  ActionError,
  assertBlockDevice,
  assertNotStopped,
  compressionByExtension,
  decompress,
  defineAction,
  detectCompression,
  deviceSize,
  downloadImage,
  formatBytes,
  openDiskReader,
  peekStart,
  progressMeter,
  type ActionContext,
  type DiskReader,
} from '@tinkerbell/action-kit';

import { readSettings, type Settings } from './settings.ts';

const READ_BYTES = 1024 * 1024;
const PROGRESS_MS = 1000;

/** Compares a disk with an image or a checksum. See `settings.ts` for the variables. */
export const verifyAction = defineAction('verify', async (environment, context) => {
  const settings = readSettings(environment);
  const info = await stat(settings.disk).catch(() => undefined);
  if (info?.isFile() !== true) await assertBlockDevice(settings.disk);
  const diskBytes = (await deviceSize(settings.disk)) ?? info?.size ?? 0;
  await using reader = await openDiskReader(settings.disk);
  const done: string[] = [];
  if (settings.url !== undefined) {
    const bytes = await compareWithImage(settings.url, { settings, reader }, context);
    done.push(`${formatBytes(bytes)} are those of the image`);
  }
  if (settings.checksum !== undefined) {
    const bytes = await compareChecksum(
      settings.checksum,
      { diskBytes, reader, disk: settings.disk },
      context,
    );
    done.push(`${formatBytes(bytes)} have the checksum`);
  }
  return { message: `${settings.disk}: ${done.join(', ')}` };
});

/** Returns the number of bytes that were compared. */
async function compareWithImage(
  url: URL,
  { settings, reader }: { readonly settings: Settings; readonly reader: DiskReader },
  context: ActionContext,
): Promise<number> {
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const { clock, log } = context;
  const advice = 'Check the server and the network, or set RETRY_DURATION_MINUTES';
  const meter = progressMeter(PROGRESS_MS, context);
  const { retryForMs, disk } = settings;
  try {
    const download = downloadImage({ url, retryForMs, signal, clock, log, advice, onTotal() {} });
    const { start, source } = await peekStart(download);
    const compression = compressionByExtension(url.pathname) ?? detectCompression(start);
    let offset = 0;
    for await (const chunk of decompress(source, compression)) {
      assertNotStopped(context.signal);
      for (let at = 0; at < chunk.length;) {
        const onDisk = await reader.read(offset, chunk.length - at);
        const wanted = chunk.subarray(at, at + onDisk.length);
        if (onDisk.length === 0)
          throw new ActionError(`${disk} ends at byte ${offset}, and the image is longer`);
        if (!onDisk.equals(wanted)) throw differs(disk, offset + firstDifference(onDisk, wanted));
        at += onDisk.length;
        offset += onDisk.length;
        meter.add(onDisk.length);
      }
    }
    if (offset === 0) throw new ActionError(`${url.href} is empty: there is nothing to compare`);
    return offset;
  } finally {
    ended.abort();
  }
}

function differs(disk: string, offset: number): ActionError {
  return new ActionError(
    `${disk} differs from the image at byte ${offset}: write it again. If this happens again, replace the disk or test the memory`,
  );
}

function firstDifference(one: Uint8Array, other: Uint8Array): number {
  return one.findIndex((byte, index) => byte !== other[index]);
}

/** Returns the number of bytes that were read. */
async function compareChecksum(
  { sha256, lengthBytes }: NonNullable<Settings['checksum']>,
  from: { readonly diskBytes: number; readonly reader: DiskReader; readonly disk: string },
  context: ActionContext,
): Promise<number> {
  const { diskBytes, reader, disk } = from;
  const length = lengthBytes ?? diskBytes;
  if (length > diskBytes)
    throw new ActionError(`DISK_BYTES=${length} is more than ${disk} has, which is ${diskBytes}`);
  const meter = progressMeter(PROGRESS_MS, context);
  meter.setTotal(length);
  const hash = createHash('sha256');
  for (let offset = 0; offset < length;) {
    assertNotStopped(context.signal);
    const bytes = await reader.read(offset, Math.min(READ_BYTES, length - offset));
    if (bytes.length === 0) throw new ActionError(`${disk} ends at byte ${offset}`);
    hash.update(bytes);
    offset += bytes.length;
    meter.add(bytes.length);
  }
  const digest = hash.digest('hex');
  if (digest === sha256) return length;
  throw new ActionError(
    `the SHA-256 of ${length} bytes of ${disk} is ${digest}, DISK_CHECKSUM says ${sha256}`,
  );
}
