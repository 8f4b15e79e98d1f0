/**
 * The initramfs is several cpio archives one after another, each compressed separately (the kernel unpacks
 * them in order). A part whose inputs did not change is taken from the cache, so that a change to the
 * agent does not compress Node again.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';

import { encodeCpio, type CpioEntry } from './cpio.ts';
import { replaceFile } from './replace-file.ts';

/** The time of every file: 2026-01-01T00:00:00Z, so that equal inputs give equal bytes. */
export const MODIFIED_SECONDS = 1_767_225_600;

/** A window of 16 MiB: it finds Node's repeats, and the kernel can allocate it on a 512 MiB machine. */
const WINDOW_LOG = 24;

const compress = promisify(zstdCompress);

export interface PartRequest {
  readonly name: string;
  /** Everything that determines the content: package file names, source text, versions. */
  readonly inputs: readonly (string | Uint8Array)[];
  readonly zstdLevel: number;
  readonly cacheDirectory: string;
  readonly entries: () => Promise<readonly CpioEntry[]>;
}

/** Returns the compressed archive, from the cache when its inputs are the same. */
export function buildPart(request: PartRequest): Promise<Uint8Array> {
  const recipe = `${request.zstdLevel}/${MODIFIED_SECONDS}/${WINDOW_LOG}`;
  return fromCache({ ...request, inputs: [recipe, ...request.inputs] }, async () => {
    const archive = encodeCpio(await request.entries(), MODIFIED_SECONDS);
    return compressZstd(archive, request.zstdLevel);
  });
}

export function compressZstd(bytes: Uint8Array, level: number): Promise<Uint8Array> {
  return compress(bytes, {
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_windowLog]: WINDOW_LOG,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  });
}

/** Returns the result of `make`, or its earlier result for the same inputs. */
export async function fromCache(
  place: Pick<PartRequest, 'name' | 'inputs' | 'cacheDirectory'>,
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for (const input of place.inputs) hash.update('\0').update(input);
  const directory = join(place.cacheDirectory, 'hook', 'segments');
  const path = join(directory, `${place.name}-${hash.digest('hex').slice(0, 24)}`);
  const cached = await readFile(path).catch(() => undefined);
  if (cached !== undefined) return cached;
  const made = await make();
  await mkdir(directory, { recursive: true });
  await replaceFile(path, made);
  return made;
}
