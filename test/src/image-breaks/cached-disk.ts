/**
 * A disk with a cache: what was not synced is lost with its power. It is a loop device of a file in a file system of its own,
 * which is shut down without a sync. A cache writes in any order, so some of its blocks may be on the disk.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** For the file system itself. */
const SPARE_BYTES = 32 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

export interface CachedDisk {
  /** A link to the loop device, which has another number after each power cut. */
  readonly device: string;
  /** No process may have the device open. What the cache has of a block is on the disk when `keeps` returns true. */
  cutPower(keeps: () => boolean): void;
  remove(): void;
}

const DISK_PROGRAMS = ['losetup', 'mkfs.ext4', 'mount', 'umount', 'xfs_io'];

/** Why there can be no such disk here. `others`: more programs that are needed, which know `-V`. */
export function reasonToSkip(...others: readonly string[]): string | false {
  if (process.getuid?.() !== 0) return 'needs root for loop devices';
  const programs = [...DISK_PROGRAMS, ...others];
  const missing = programs.filter((program) => spawnSync(program, ['-V']).error !== undefined);
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  return spawnSync('losetup', ['--find']).status !== 0 && 'needs loop devices';
}

export function insertDisk(folder: string, sizeBytes: number): CachedDisk {
  const device = join(folder, 'device');
  const fileOf = (life: number): string => join(folder, `medium-${life}`);
  makeFile(fileOf(0), sizeBytes + SPARE_BYTES);
  run('mkfs.ext4', '-q', '-F', fileOf(0));
  let life = 0;
  let spinning = spin(fileOf(life), { device, sizeBytes });
  return {
    device,
    cutPower(keeps) {
      const offsets = Array.from({ length: sizeBytes / BLOCK_BYTES }, (_, block) => block * BLOCK_BYTES);
      writeBack(join(spinning.folder, 'disk'), offsets.filter(keeps));
      run('xfs_io', '-x', '-c', 'shutdown', spinning.folder);
      // A file system that another mount namespace holds stays shut down, so a copy of it is mounted.
      run('cp', '--sparse=always', fileOf(life), fileOf(life + 1));
      spinning.stop();
      rmSync(fileOf(life));
      life += 1;
      spinning = spin(fileOf(life), { device });
    },
    remove: () => spinning.stop(),
  };
}

interface Spinning {
  /** Of the file system. */
  readonly folder: string;
  stop(): void;
}

/** A new disk is of this size. */
function spin(medium: string, { device, sizeBytes }: { device: string; sizeBytes?: number }): Spinning {
  const folder = `${medium}-mounted`;
  const disk = join(folder, 'disk');
  mkdirSync(folder);
  run('mount', '-o', 'loop', medium, folder);
  const unmount = (): void => void spawnSync('umount', ['--lazy', folder]);
  try {
    if (sizeBytes !== undefined) makeFile(disk, sizeBytes);
    const loop = run('losetup', '--find', '--show', disk);
    rmSync(device, { force: true });
    symlinkSync(loop, device);
    return {
      folder,
      stop() {
        spawnSync('losetup', ['--detach', loop]);
        unmount();
      },
    };
  } catch (error) {
    unmount();
    throw error;
  }
}

function writeBack(disk: string, offsets: readonly number[]): void {
  const orders = offsets.flatMap((offset) => ['-c', `sync_range -abw ${offset} ${BLOCK_BYTES}`]);
  if (orders.length > 0) run('xfs_io', ...orders, disk);
}

function makeFile(path: string, sizeBytes: number): void {
  const file = openSync(path, 'w');
  ftruncateSync(file, sizeBytes);
  closeSync(file);
}

function run(program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
