/**
 * The damages that disks, crashes and people cause to the files of a data folder. One of them happens at a
 * time.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SeededChoice } from '../seeded-choice.ts';
import { DATABASE } from './written-store.ts';

const FILES = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-acknowledged`];
/** The log is chosen most often, because it has what was acknowledged last. */
const LIKELY_FILES = [DATABASE, DATABASE, `${DATABASE}-wal`, `${DATABASE}-wal`, `${DATABASE}-acknowledged`];
const SECTOR_BYTES = 512;

/** Damages `folder` and returns a description. `older`: the same folder at an earlier time. */
export function damageFolder(folder: string, older: string, choice: SeededChoice): string {
  const file = choice.of(LIKELY_FILES.filter((name) => sizeOf(join(folder, name)) > 0));
  const path = join(folder, file);
  const size = sizeOf(path);
  const kind = choice.of([
    'flip',
    'flip',
    'flip',
    'zeros',
    'truncate',
    'empty',
    'remove',
    'swap',
    'swap-all',
  ] as const);
  const at = choice.below(size);
  switch (kind) {
    case 'flip':
      flip(path, at, 1 << choice.below(8));
      return `flip a bit of byte ${at} of ${size} of ${file}`;
    case 'zeros':
      overwrite(path, Math.floor(at / SECTOR_BYTES) * SECTOR_BYTES, Buffer.alloc(SECTOR_BYTES));
      return `zeros in the sector of byte ${at} of ${file}`;
    case 'truncate':
      truncateSync(path, at);
      return `truncate ${file} from ${size} to ${at} bytes`;
    case 'empty':
      truncateSync(path, 0);
      return `empty ${file}`;
    case 'remove':
      rmSync(path);
      return `remove ${file}`;
    case 'swap':
      return swap(folder, older, [file]);
    case 'swap-all':
      // An old backup of the folder, but for the file that would reveal it.
      return swap(folder, older, [DATABASE, `${DATABASE}-wal`]);
  }
}

/** Returns the bytes of all files, to see whether anything was damaged at all. */
export function sameFiles(one: string, other: string): boolean {
  return FILES.every((name) => bytesOf(join(one, name)).equals(bytesOf(join(other, name))));
}

function swap(folder: string, older: string, names: readonly string[]): string {
  for (const name of names) {
    rmSync(join(folder, name), { force: true });
    if (existsSync(join(older, name))) copyFileSync(join(older, name), join(folder, name));
  }
  return `an older ${names.join(' and ')}`;
}

function flip(path: string, at: number, bit: number): void {
  const byte = Buffer.alloc(1);
  const descriptor = openSync(path, 'r+');
  readSync(descriptor, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ bit;
  writeSync(descriptor, byte, 0, 1, at);
  closeSync(descriptor);
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, bytes, 0, Math.min(bytes.length, sizeOf(path) - at), at);
  closeSync(descriptor);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function bytesOf(path: string): Buffer {
  const bytes = Buffer.alloc(sizeOf(path));
  if (bytes.length === 0) return bytes;
  const descriptor = openSync(path, 'r');
  readSync(descriptor, bytes);
  closeSync(descriptor);
  return bytes;
}
