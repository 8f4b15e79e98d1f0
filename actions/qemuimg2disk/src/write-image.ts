import {
  ActionError,
  assertNotStopped,
  deviceSize,
  formatBytes,
  openDiskWriter,
  progressMeter,
  qcow2Decoders,
  type ActionContext,
  type WriteTotals,
} from '@tinkerbell/action-kit';
import { openQcow2, Qcow2Error, type ImageFile, type ImagePart } from '@tinkerbell/qcow2';

const PROGRESS_MS = 1000;
/** One read of a raw image. */
const RAW_READ_BYTES = 1024 * 1024;

interface Parts {
  readonly diskBytes: number;
  readonly parts: AsyncIterable<ImagePart>;
}

/**
 * Writes a qcow2 or raw image to a disk.
 *
 * @throws ActionError when the image is damaged, or larger than the disk.
 */
export async function writeImage(
  image: { readonly file: ImageFile; readonly format: 'qcow2' | 'raw' },
  disk: string,
  context: ActionContext,
): Promise<WriteTotals> {
  try {
    const { diskBytes, parts } =
      image.format === 'qcow2' ? await qcow2Parts(image.file) : rawParts(image.file);
    const sizeBytes = await deviceSize(disk);
    // Known before the first byte is written. It also bounds the work that a hostile image can cause.
    if (sizeBytes !== undefined && diskBytes > sizeBytes)
      throw new ActionError(
        `the image is a disk of ${formatBytes(diskBytes)}, which is larger than ${disk} (${formatBytes(sizeBytes)}): choose a larger disk in DEST_DISK`,
      );
    return await writeParts({ diskBytes, parts }, { disk, sizeBytes }, context);
  } catch (cause) {
    if (!(cause instanceof Qcow2Error) && !isDecoderError(cause)) throw cause;
    throw new ActionError(`the image cannot be read: ${cause.message}`, { cause });
  }
}

async function qcow2Parts(file: ImageFile): Promise<Parts> {
  const image = await openQcow2(file);
  return { diskBytes: image.diskBytes, parts: image.parts(qcow2Decoders) };
}

function rawParts(file: ImageFile): Parts {
  async function* parts(): AsyncGenerator<ImagePart, void> {
    for (let offset = 0; offset < file.sizeBytes; offset += RAW_READ_BYTES)
      yield { kind: 'data', bytes: await file.read(offset, RAW_READ_BYTES) };
  }
  return { diskBytes: file.sizeBytes, parts: parts() };
}

async function writeParts(
  { diskBytes, parts }: Parts,
  target: { readonly disk: string; readonly sizeBytes: number | undefined },
  context: ActionContext,
): Promise<WriteTotals> {
  const meter = progressMeter(PROGRESS_MS, context);
  meter.setTotal(diskBytes);
  const writer = await openDiskWriter(target.disk, target.sizeBytes, context.signal);
  try {
    for await (const part of parts) {
      assertNotStopped(context.signal);
      if (part.kind === 'zeros') await writer.zeros(part.length);
      else await writer.write(part.bytes);
      meter.add(part.kind === 'zeros' ? part.length : part.bytes.length);
    }
    context.progress({ message: `syncing ${target.disk}` });
    return await writer.finish();
  } finally {
    await writer.close();
  }
}

/** What Node's zlib throws for damaged data. */
function isDecoderError(error: unknown): error is Error {
  return (
    error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code))
  );
}
