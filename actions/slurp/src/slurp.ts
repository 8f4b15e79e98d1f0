import { open, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

import {
  assertBlockDevice,
  assertNotStopped,
  defineAction,
  deviceSize,
  formatBytes,
  progressMeter,
  type ActionContext,
} from '@tinkerbell/action-kit';

import { readSettings, type Settings } from './settings.ts';
import { upload } from './upload.ts';

/** The field that upstream's server reads. */
const FIELD = 'BootyImage';
const READ_BYTES = 1024 * 1024;
const PROGRESS_MS = 1000;

/** Uploads a disk. See `settings.ts` for the variables. */
export const slurpAction = defineAction('slurp', async (environment, context) => {
  const settings = readSettings(environment);
  const info = await stat(settings.disk).catch(() => undefined);
  if (info?.isFile() !== true) await assertBlockDevice(settings.disk);
  const sizeBytes = (await deviceSize(settings.disk)) ?? info?.size ?? 0;
  await uploadDisk(settings, sizeBytes, context);
  return { message: `uploaded ${formatBytes(sizeBytes)} of ${settings.disk} as ${settings.fileName}` };
});

async function uploadDisk(settings: Settings, sizeBytes: number, context: ActionContext): Promise<void> {
  const { disk, url, fileName, compressed } = settings;
  await using file = await open(disk, 'r');
  const bytes = readDisk(file, sizeBytes, context);
  const content = compressed ? Readable.from(bytes).compose(createGzip({ level: 1 })) : bytes;
  const contentBytes = compressed ? undefined : sizeBytes;
  await upload({ url, field: FIELD, fileName, content, contentBytes, signal: context.signal });
}

async function* readDisk(
  file: FileHandle,
  sizeBytes: number,
  context: ActionContext,
): AsyncGenerator<Buffer, void> {
  const meter = progressMeter(PROGRESS_MS, context);
  meter.setTotal(sizeBytes);
  for (let offset = 0; offset < sizeBytes;) {
    assertNotStopped(context.signal);
    // A new buffer, because the connection may still send the last one.
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, sizeBytes - offset));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    offset += bytesRead;
    meter.add(bytesRead);
  }
}
