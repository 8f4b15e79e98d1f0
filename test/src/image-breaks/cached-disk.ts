/**
 * A disk with a cache: what was not synced is lost with its power. It is a loop device of a file in a file system of its own,
 * which is shut down without a sync.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** For the file system itself. */
const SPARE_BYTES = 32 * 1024 * 1024;

export interface CachedDisk {
  /** It keeps this name. */
  readonly device: string;
  /** No process may have the device open. */
  cutPower(): void;
  remove(): void;
}

export const DISK_PROGRAMS = ['losetup', 'mkfs.ext4', 'mount', 'umount', 'xfs_io'];

export function insertDisk(folder: string, sizeBytes: number): CachedDisk {
  const medium = join(folder, 'medium');
  const shelf = join(folder, 'shelf');
  const disk = join(shelf, 'disk');
  mkdirSync(shelf);
  makeFile(medium, sizeBytes + SPARE_BYTES);
  run('mkfs.ext4', '-q', '-F', medium);
  run('mount', '-o', 'loop', medium, shelf);
  const remove = (): void => void spawnSync('umount', [shelf]);
  try {
    makeFile(disk, sizeBytes);
    const device = run('losetup', '--find', '--show', disk);
    return {
      device,
      cutPower() {
        run('xfs_io', '-x', '-c', 'shutdown', shelf);
        run('losetup', '--detach', device);
        run('umount', shelf);
        run('mount', '-o', 'loop', medium, shelf);
        run('losetup', device, disk);
      },
      remove() {
        spawnSync('losetup', ['--detach', device]);
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function makeFile(path: string, sizeBytes: number): void {
  const file = openSync(path, 'w');
  ftruncateSync(file, sizeBytes);
  closeSync(file);
}

function run(program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { encoding: 'utf8' }).trim();
}
