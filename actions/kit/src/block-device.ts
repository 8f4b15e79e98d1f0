import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { ActionError } from './action.ts';
import { formatBytes } from './format-bytes.ts';

const SECTOR_BYTES = 512;

/** After the kernel has read a partition table, its partitions appear within this time. */
const APPEAR_ATTEMPTS = 50;
const APPEAR_WAIT_MS = 100;

export interface Disk {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Returns whole disks with a medium, without loop, RAM and device-mapper devices. */
export async function listDisks(sysDirectory = '/sys'): Promise<readonly Disk[]> {
  const names = await readdir(join(sysDirectory, 'block')).catch(() => []);
  const disks = await Promise.all(
    names
      .filter((name) => !/^(loop|ram|zram|dm-|md|sr|fd)\d*/.test(name))
      .sort()
      .map(async (name) => ({ path: `/dev/${name}`, sizeBytes: await blockSize(sysDirectory, name) })),
  );
  return disks.filter((disk) => disk.sizeBytes > 0);
}

/** Returns the size of a block device in bytes by its path, or undefined when the kernel does not know it. */
export async function deviceSize(path: string): Promise<number | undefined> {
  const size = await blockSize('/sys', await deviceName(path), 'class/block');
  return size > 0 ? size : undefined;
}

/**
 * Returns the bytes of a logical sector, which is 512 where the kernel does not know it, as for a partition or
 * a file.
 */
export async function sectorSize(path: string): Promise<number> {
  const file = join('/sys/class/block', await deviceName(path), 'queue/logical_block_size');
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(text.trim()) || SECTOR_BYTES;
}

/** `/dev/disk/by-id/...` is a link to the device. */
async function deviceName(path: string): Promise<string> {
  return basename(await realpath(path).catch(() => path));
}

/**
 * Waits up to 5 s for a block device below /dev to appear.
 *
 * @throws ActionError naming the disks of this machine.
 */
export async function assertBlockDevice(path: string): Promise<void> {
  for (let attempt = 1; attempt <= APPEAR_ATTEMPTS; attempt += 1) {
    const info = await stat(path).catch(() => undefined);
    if (info?.isBlockDevice() === true) return;
    if (info !== undefined || !path.startsWith('/dev/')) break;
    await new Promise((resolve) => setTimeout(resolve, APPEAR_WAIT_MS));
  }
  throw new ActionError(`${path} is not a block device; ${await describeDisks()}`);
}

/** Returns `this machine has /dev/sda (20 GiB), /dev/nvme0n1 (1.8 TiB)`. */
export async function describeDisks(): Promise<string> {
  const disks = await listDisks();
  if (disks.length === 0)
    return 'this machine has no disk, or the in-memory OS has no driver for its controller';
  const names = disks.map((disk) => `${disk.path} (${formatBytes(disk.sizeBytes)})`);
  return `this machine has ${names.join(', ')}`;
}

async function blockSize(sysDirectory: string, name: string, under = 'block'): Promise<number> {
  const text = await readFile(join(sysDirectory, under, name, 'size'), 'utf8').catch(() => '0');
  return Number(text.trim()) * SECTOR_BYTES;
}
