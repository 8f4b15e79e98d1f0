import { stat } from 'node:fs/promises';

import {
  ActionError,
  assertBlockDevice,
  defineAction,
  ensureSegment,
  formatBytes,
  mustRun,
  openRangeFile,
  runProgram,
  type ActionContext,
} from '@tinkerbell/action-kit';
import type { ImageFile } from '@tinkerbell/qcow2';

import { END_BYTES, formatOf, START_BYTES, type ImageFormat } from './image-format.ts';
import { readSettings, type Settings } from './settings.ts';
import { spool } from './spooled-file.ts';
import { writeImage } from './write-image.ts';

/** A download without progress fails after this time. */
const RETRY_MS = 60_000;

/** Writes a virtual disk image to a disk. See `settings.ts` for the variables. */
export const qemuimg2diskAction = defineAction('qemuimg2disk', async (environment, context) => {
  const settings = readSettings(environment);
  const info = await stat(settings.disk).catch(() => undefined);
  if (info?.isFile() !== true) await assertBlockDevice(settings.disk);
  const message = await writeFromServer(settings, context);
  return { message: `${message} to ${settings.disk}` };
});

async function writeFromServer(settings: Settings, context: ActionContext): Promise<string> {
  const { url } = settings;
  const { signal, clock, log } = context;
  const remote = await openRangeFile({ url, retryForMs: RETRY_MS, signal, clock, log });
  if (remote !== undefined) {
    const format = await detect(remote);
    if (isOurs(format) && settings.extraArguments.length === 0)
      return writeOurs({ file: remote, format }, settings, context);
  }
  await using file = await spool({ url, retryForMs: RETRY_MS }, context);
  const format = await detect(file);
  if (isOurs(format) && settings.extraArguments.length === 0)
    return await writeOurs({ file, format }, settings, context);
  // Awaited, because the file is removed at the end of this block.
  return await convert(file.path, format, { settings, context });
}

async function detect(file: ImageFile): Promise<ImageFormat> {
  const start = Buffer.from(await file.read(0, START_BYTES));
  const end = Buffer.from(await file.read(Math.max(file.sizeBytes - END_BYTES, 0), END_BYTES));
  return formatOf(start, end, file.sizeBytes);
}

function isOurs(format: ImageFormat): format is 'qcow2' | 'raw' {
  return format === 'qcow2' || format === 'raw';
}

async function writeOurs(
  image: { readonly file: ImageFile; readonly format: 'qcow2' | 'raw' },
  { disk, url }: Settings,
  context: ActionContext,
): Promise<string> {
  context.log.info('writing image', { url: url.href, disk, format: image.format });
  const { bytes, zeroBytes } = await writeImage(image, disk, context);
  return `wrote a ${image.format} image of ${formatBytes(bytes)} (${formatBytes(zeroBytes)} as zeros)`;
}

/** The format is explicit: qemu-img must not guess one that opens other files. */
async function convert(
  path: string,
  format: ImageFormat,
  { settings, context }: { readonly settings: Settings; readonly context: ActionContext },
): Promise<string> {
  const { signal, log } = context;
  await ensureSegment('images', context);
  const isInstalled = await runProgram('qemu-img', ['--version'], { signal }).catch(() => undefined);
  if (isInstalled === undefined)
    throw new ActionError(
      `a ${format} image needs qemu-img, which this system lacks (Debian package qemu-utils): convert the image to qcow2 or raw, or remove EXTRA_ARGS`,
    );
  const info = await stat(settings.disk);
  const output = info.isFile() ? 'raw' : 'host_device';
  context.progress({ message: `converting a ${format} image with qemu-img` });
  const args = ['convert', '-f', format, '-O', output, ...settings.extraArguments, path, settings.disk];
  await mustRun('qemu-img', args, { signal, log });
  return `wrote a ${format} image with qemu-img`;
}
