/** Reads an image that somebody else has made. Everything that a writer of disks relies on is checked here. */
import { listAt, OciError, parseJson, readDigest, sizeAt, type ImageManifest } from '@tinkerbell/oci';
import {
  CHUNK_BYTES_MAX,
  CHUNK_BYTES_MIN,
  DISK_BYTES_MAX,
  DISK_CONFIG_BYTES_MAX,
  DISK_CONFIG_TYPE,
  FORMAT_VERSION,
  OVERHEAD_BYTES_MAX,
  PACK_TYPE,
  positionCount,
  type DiskImage,
  type Pack,
  type Run,
  type StoredChunk,
} from './disk-image.ts';

/** The configuration is not larger, so a list cannot be longer. */
const LIST_MAX = DISK_CONFIG_BYTES_MAX / 2;

/** Throws an `OciError` that names the field. `config`: the bytes that the manifest's configuration names. */
export function readDiskImage(manifest: ImageManifest, config: Uint8Array): DiskImage {
  if (manifest.config.mediaType !== DISK_CONFIG_TYPE)
    throw new OciError(
      'config.mediaType',
      `is ${manifest.config.mediaType}, and a disk image has ${DISK_CONFIG_TYPE}`,
    );
  if (config.length > DISK_CONFIG_BYTES_MAX)
    throw new OciError('config', `is larger than ${DISK_CONFIG_BYTES_MAX} bytes`);
  const json = parseJson(config, 'config');
  if (json['version'] !== FORMAT_VERSION)
    throw new OciError(
      'version',
      `is ${JSON.stringify(json['version']) ?? 'absent'}; only ${FORMAT_VERSION} is supported`,
    );
  const packs = packsOf(manifest);
  const sizes = { diskBytes: diskBytesAt(json['diskBytes']), chunkBytes: chunkBytesAt(json['chunkBytes']) };
  const chunks = listAt(json['chunks'], 'chunks', LIST_MAX).map((item, index) =>
    chunkAt(item, `chunks[${index}]`, { packs, chunkBytes: sizes.chunkBytes }),
  );
  const runs = listAt(json['runs'], 'runs', LIST_MAX).map((item, index) => runAt(item, `runs[${index}]`));
  checkRuns(runs, { positions: positionCount(sizes), chunks: chunks.length });
  return { ...sizes, packs, chunks, runs };
}

function packsOf({ layers }: ImageManifest): readonly Pack[] {
  return layers.map(({ mediaType, digest, size }, index) => {
    if (mediaType !== PACK_TYPE)
      throw new OciError(`layers[${index}].mediaType`, `is ${mediaType}, and a disk image has ${PACK_TYPE}`);
    return { digest, sizeBytes: size };
  });
}

function diskBytesAt(value: unknown): number {
  const bytes = sizeAt(value, 'diskBytes');
  if (bytes >= 1 && bytes <= DISK_BYTES_MAX) return bytes;
  throw new OciError('diskBytes', `is ${bytes}; it must be from 1 to ${DISK_BYTES_MAX}`);
}

function chunkBytesAt(value: unknown): number {
  const bytes = sizeAt(value, 'chunkBytes');
  if (bytes >= CHUNK_BYTES_MIN && bytes <= CHUNK_BYTES_MAX && Number.isInteger(Math.log2(bytes)))
    return bytes;
  throw new OciError(
    'chunkBytes',
    `is ${bytes}; it must be a power of two from ${CHUNK_BYTES_MIN} to ${CHUNK_BYTES_MAX}`,
  );
}

interface ChunkBounds {
  readonly packs: readonly Pack[];
  readonly chunkBytes: number;
}

/** `[hexadecimal SHA-256, pack, offset, length]` */
function chunkAt(value: unknown, field: string, { packs, chunkBytes }: ChunkBounds): StoredChunk {
  const [hex, packNumber, start, size, ...more] = listAt(value, field, 5);
  if (typeof hex !== 'string' || more.length > 0)
    throw new OciError(field, 'must be a list of a SHA-256, a pack, an offset and a length');
  const digest = readDigest(`sha256:${hex}`, `${field}[0]`);
  const pack = sizeAt(packNumber, `${field}[1]`);
  const offset = sizeAt(start, `${field}[2]`);
  const length = sizeAt(size, `${field}[3]`);
  const found = packs[pack];
  if (found === undefined)
    throw new OciError(`${field}[1]`, `is ${pack}, and there are ${packs.length} packs`);
  if (length < 1 || length > chunkBytes + OVERHEAD_BYTES_MAX)
    throw new OciError(
      `${field}[3]`,
      `is ${length}; it must be from 1 to ${chunkBytes + OVERHEAD_BYTES_MAX}`,
    );
  if (offset + length > found.sizeBytes)
    throw new OciError(
      field,
      `ends at byte ${offset + length} of pack ${pack}, which has ${found.sizeBytes} bytes`,
    );
  return { digest, pack, offset, length };
}

/** `[position, chunk, count]` */
function runAt(value: unknown, field: string): Run {
  const [position, chunk, count, ...more] = listAt(value, field, 4);
  if (more.length > 0) throw new OciError(field, 'must be a list of a position, a chunk and a count');
  return {
    position: sizeAt(position, `${field}[0]`),
    chunk: sizeAt(chunk, `${field}[1]`),
    count: sizeAt(count, `${field}[2]`),
  };
}

function checkRuns(
  runs: readonly Run[],
  bounds: { readonly positions: number; readonly chunks: number },
): void {
  let next = 0;
  for (const [index, { position, chunk, count }] of runs.entries()) {
    const field = `runs[${index}]`;
    if (count < 1) throw new OciError(`${field}[2]`, 'must be at least 1');
    if (position < next)
      throw new OciError(`${field}[0]`, `is ${position}, and the run before it ends at ${next}`);
    if (position + count > bounds.positions)
      throw new OciError(field, `ends at chunk ${position + count} of a disk with ${bounds.positions}`);
    if (chunk + count > bounds.chunks)
      throw new OciError(field, `names chunk ${chunk + count - 1}, and there are ${bounds.chunks}`);
    next = position + count;
  }
}
