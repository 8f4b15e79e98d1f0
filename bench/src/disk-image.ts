/**
 * Creates a disk image as installers write them: 30 % data, half of which compresses badly, and zeros for the
 * rest. The bytes are the same on every machine and in every run.
 */
import { closeSync, existsSync, ftruncateSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import type { BenchContext } from './benchmark.ts';
import { mustRun, needProgram } from './running-program.ts';

const MEBIBYTE = 1024 * 1024;
/** Data repeats after this length, which is far beyond the window of any compressor. */
const POOL_BYTES = 64 * MEBIBYTE;
const BLOCK_BYTES = 4096;
const DATA_SHARE = 0.3;
const EXTENT_BLOCKS_MAX = 2048;
const SEED = 0x74696e6b;
const NEW_EXTENT = 20;
const WORDS = ['machine ', 'workflow ', 'template ', 'hardware ', 'action ', '/usr/lib/', '\n\t', 'return '];

export interface DiskImages {
  readonly bytes: number;
  readonly raw: string;
  readonly zstd: string;
  readonly gzip: string;
}

/** Returns the paths of the image and its compressed forms, which are created once and kept in the cache. */
export async function diskImages(context: BenchContext, mebibytes: number): Promise<DiskImages> {
  const raw = rawImage(context, { mebibytes, version: 1 });
  const compressed = async (extension: string, command: string): Promise<string> => {
    const path = `${raw}.${extension}`;
    if (existsSync(path)) return path;
    context.say(`compressing it: ${command}`);
    await mustRun(context, { command: ['sh', '-c', `${command} < ${raw} > ${path}.part`] });
    renameSync(`${path}.part`, path);
    return path;
  };
  return {
    bytes: statSync(raw).size,
    raw,
    zstd: await compressed('zst', `${needProgram('zstd', 'zstd')} -q -c -3`),
    gzip: await compressed('gz', 'gzip -c -n -6'),
  };
}

/**
 * Returns the path of the raw image. In version 2, every twentieth extent of data is new, which is 5 % of them, all over the
 * disk.
 */
export function rawImage(
  context: BenchContext,
  { mebibytes, version }: { readonly mebibytes: number; readonly version: 1 | 2 },
): string {
  const suffix = version === 1 ? '' : '-v2';
  const path = join(context.cacheDirectory, `image-${mebibytes}-${SEED.toString(16)}${suffix}.raw`);
  if (existsSync(path)) return path;
  context.say(`making an image of ${mebibytes} MiB`);
  writeImage(`${path}.part`, { bytes: mebibytes * MEBIBYTE, version });
  renameSync(`${path}.part`, path);
  return path;
}

function writeImage(path: string, { bytes, version }: { bytes: number; version: 1 | 2 }): void {
  const random = randomNumbers(SEED);
  const pool = dataPool(random);
  const newPool = version === 1 ? pool : dataPool(randomNumbers(SEED + 1));
  const file = openSync(path, 'w');
  ftruncateSync(file, bytes);
  let at = 0;
  let poolAt = 0;
  for (let number = 1; at < bytes; number += 1) {
    const source = number % NEW_EXTENT === 0 ? newPool : pool;
    const extent = (1 + (random() % EXTENT_BLOCKS_MAX)) * BLOCK_BYTES;
    for (let left = Math.min(extent, bytes - at); left > 0;) {
      const length = Math.min(left, POOL_BYTES - poolAt);
      writeSync(file, source, poolAt, length, at);
      poolAt = (poolAt + length) % POOL_BYTES;
      at += length;
      left -= length;
    }
    at += Math.round((extent * (1 / DATA_SHARE - 1)) / BLOCK_BYTES) * BLOCK_BYTES;
  }
  closeSync(file);
}

/** Each block is half noise and half words. */
function dataPool(random: () => number): Buffer {
  const pool = Buffer.allocUnsafe(POOL_BYTES);
  const half = BLOCK_BYTES / 2;
  for (let block = 0; block < POOL_BYTES; block += BLOCK_BYTES) {
    for (let at = 0; at < half; at += 4) pool.writeUInt32LE(random(), block + at);
    let text = '';
    while (text.length < half) text += WORDS[random() % WORDS.length];
    pool.write(text, block + half, half, 'latin1');
  }
  return pool;
}

/** xorshift32 (Marsaglia 2003), which returns the same numbers everywhere. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
