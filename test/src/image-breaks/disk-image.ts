/** A disk image as sites have them, and what the disk has before. */
import { createHash, randomFillSync } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { SeededChoice } from '../seeded-choice.ts';

const MEBIBYTE = 1024 * 1024;
export const IMAGE_BYTES = 64 * MEBIBYTE;
const DATA_BYTES = 28 * MEBIBYTE;
const EXTENT_BYTES_MAX = 2 * MEBIBYTE;
const SECTOR_BYTES = 512;
const TEXT = Buffer.alloc(EXTENT_BYTES_MAX, 'a machine without an operating system\n');

export interface DiskImageOptions {
  /** How much larger than usual (default: 1). */
  readonly times?: number;
  /** One extent in so many is text, which compresses well (default: 2). */
  readonly textOneOf?: number;
}

/** Extents of random bytes and of text between holes. */
export function writeDiskImage(
  path: string,
  choose: SeededChoice,
  { times = 1, textOneOf = 2 }: DiskImageOptions = {},
): void {
  const file = openSync(path, 'w');
  ftruncateSync(file, times * IMAGE_BYTES);
  const noise = Buffer.alloc(EXTENT_BYTES_MAX);
  for (let written = 0; written < times * DATA_BYTES;) {
    const bytes = SECTOR_BYTES * (1 + choose.below(EXTENT_BYTES_MAX / SECTOR_BYTES));
    const at = SECTOR_BYTES * choose.below((times * IMAGE_BYTES - bytes) / SECTOR_BYTES);
    const from = choose.once(textOneOf) ? TEXT : randomFillSync(noise);
    writeSync(file, from, 0, bytes, at);
    written += bytes;
  }
  closeSync(file);
}

/** A used disk, so that what an action does not write shows. */
export function soil(device: string): void {
  const file = openSync(device, 'r+');
  const used = Buffer.alloc(MEBIBYTE, 0xaa);
  for (let at = 0; at < IMAGE_BYTES; at += MEBIBYTE) writeSync(file, used, 0, MEBIBYTE, at);
  fsyncSync(file);
  closeSync(file);
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path, { highWaterMark: MEBIBYTE })) hash.update(part as Buffer);
  return hash.digest('hex');
}
