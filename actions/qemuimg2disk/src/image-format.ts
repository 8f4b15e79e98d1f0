/** Decides what an image is by its bytes, because names on servers are often wrong. */
import { ActionError, detectCompression } from '@tinkerbell/action-kit';
import { isQcow2 } from '@tinkerbell/qcow2';

/** qcow2 and raw images are written by this action, and the others by qemu-img under these names. */
export type ImageFormat = 'qcow2' | 'raw' | 'vmdk' | 'vhdx' | 'vpc' | 'vdi' | 'qed';

/** The bytes of the start and of the end that decide. */
export const START_BYTES = 512;
export const END_BYTES = 512;

const SECTOR_BYTES = 512;

/** @throws ActionError for a file that is not an image. */
export function formatOf(start: Buffer, end: Buffer, sizeBytes: number): ImageFormat {
  if (isQcow2(start)) return 'qcow2';
  const begins = (text: string): boolean => start.subarray(0, text.length).toString('latin1') === text;
  if (begins('KDMV')) return 'vmdk';
  if (begins('# Disk DescriptorFile'))
    throw new ActionError(
      'the image is a vmdk descriptor, and its data is in another file: use one that contains both',
    );
  if (begins('vhdxfile')) return 'vhdx';
  if (begins('conectix') || end.subarray(0, 8).toString('latin1') === 'conectix') return 'vpc';
  if (start.length >= 68 && start.readUInt32LE(64) === 0xbeda_107f) return 'vdi';
  if (begins('QED\0')) return 'qed';
  assertRaw(start, sizeBytes);
  return 'raw';
}

function assertRaw(start: Buffer, sizeBytes: number): void {
  const compression = detectCompression(start);
  if (compression !== 'none')
    throw new ActionError(`the image is compressed with ${compression}: use the action image2disk`);
  if (sizeBytes === 0 || sizeBytes % SECTOR_BYTES !== 0)
    throw new ActionError(
      `the image has ${sizeBytes} bytes and no known format: it is neither a virtual disk nor a raw image`,
    );
}
