/**
 * Partitions as in Debian's own cloud images: 14 is GRUB for BIOS, 15 the EFI system partition, and 1 the
 * root file system, which is last on the disk so that it can grow.
 */
import { open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '@tinkerbell/hook';

import { makeBiosLoader, makeEfiLoader } from './grub-image.ts';

const SECTOR_BYTES = 512;
const MEBIBYTE = 1024 * 1024;

const BIOS_START_BYTES = MEBIBYTE;
const BIOS_BYTES = MEBIBYTE;
const EFI_START_BYTES = BIOS_START_BYTES + BIOS_BYTES;
/** The smallest size for FAT16. */
const EFI_BYTES = 18 * MEBIBYTE;
const ROOT_START_BYTES = EFI_START_BYTES + EFI_BYTES;
/** Space for the backup partition table. */
const END_BYTES = MEBIBYTE;

/** Free space on the new root. It is room to work in, and zeros cost nothing to send. */
const FREE_BYTES = 200 * MEBIBYTE;

const TYPE_BIOS = '21686148-6449-6E6F-744E-656564454649';
const TYPE_EFI = 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B';
const TYPE_ROOT = '4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709';

/** Lays out `image` with the system below `root`, including its boot loaders. */
export async function writeDiskImage(options: {
  readonly root: string;
  readonly image: string;
  readonly workDirectory: string;
}): Promise<void> {
  const { root, image, workDirectory } = options;
  const usedKibibytes = Number((await runCommand('du', ['-sk', root])).split('\t')[0]);
  // File system structures take about a twentieth.
  const rootBytes = alignUp(usedKibibytes * 1024 * 1.05 + FREE_BYTES, MEBIBYTE);
  await writeFile(image, '');
  await truncate(image, ROOT_START_BYTES + rootBytes + END_BYTES);
  await partition(image, rootBytes, workDirectory);

  const rootImage = join(workDirectory, 'root.img');
  await writeFile(rootImage, '');
  await truncate(rootImage, rootBytes);
  await runCommand('mke2fs', ['-q', '-t', 'ext4', '-L', 'root', '-m', '1', '-d', root, rootImage]);
  await copyInto(image, rootImage, ROOT_START_BYTES);

  const efiImage = await makeEfiPartition(workDirectory);
  await copyInto(image, efiImage, EFI_START_BYTES);
  const bios = await makeBiosLoader(workDirectory, BIOS_START_BYTES / SECTOR_BYTES);
  await overwrite(image, bios.bootCode, 0);
  await overwrite(image, bios.core, BIOS_START_BYTES);
}

/** Start and size are in bytes. */
interface Partition {
  readonly number: number;
  readonly start: number;
  readonly size: number;
  readonly type: string;
}

async function partition(image: string, rootBytes: number, workDirectory: string): Promise<void> {
  const line = ({ number, start, size, type }: Partition): string =>
    `${image}${number} : start=${start / SECTOR_BYTES}, size=${size / SECTOR_BYTES}, type=${type}`;
  const script = join(workDirectory, 'partitions');
  const text = [
    'label: gpt',
    line({ number: 1, start: ROOT_START_BYTES, size: rootBytes, type: TYPE_ROOT }),
    line({ number: 14, start: BIOS_START_BYTES, size: BIOS_BYTES, type: TYPE_BIOS }),
    line({ number: 15, start: EFI_START_BYTES, size: EFI_BYTES, type: TYPE_EFI }),
  ].join('\n');
  await writeFile(script, `${text}\n`);
  await runCommand('sh', ['-c', 'sfdisk --quiet "$1" <"$2"', 'sh', image, script]);
}

async function makeEfiPartition(workDirectory: string): Promise<string> {
  const path = join(workDirectory, 'efi.img');
  const loader = await makeEfiLoader(workDirectory);
  await writeFile(path, '');
  await truncate(path, EFI_BYTES);
  await runCommand('mformat', ['-i', path, '-v', 'EFI', '::']);
  await runCommand('mmd', ['-i', path, '::/EFI', '::/EFI/BOOT']);
  await runCommand('mcopy', ['-i', path, loader, '::/EFI/BOOT/BOOTX64.EFI']);
  return path;
}

/** Copies a part image without its holes. */
async function copyInto(image: string, part: string, offsetBytes: number): Promise<void> {
  const seek = String(offsetBytes / MEBIBYTE);
  await runCommand('dd', [
    `if=${part}`,
    `of=${image}`,
    'bs=1M',
    `seek=${seek}`,
    'conv=notrunc,sparse',
    'status=none',
  ]);
}

async function overwrite(image: string, bytes: Uint8Array, offsetBytes: number): Promise<void> {
  const handle = await open(image, 'r+');
  try {
    await handle.write(bytes, 0, bytes.length, offsetBytes);
  } finally {
    await handle.close();
  }
}

function alignUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
