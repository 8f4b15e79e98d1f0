/**
 * A disk image as an OCI artifact. The disk is cut into chunks of a fixed size. Each distinct chunk that is not all zeros is
 * compressed with zstd, and lies somewhere in a pack, which is a layer of the manifest. The configuration of the manifest says
 * which chunk lies where. docs/reference/image-format.md describes the bytes.
 */
import type { Digest, ImageManifest } from '@tinkerbell/oci';

export const DISK_CONFIG_TYPE = 'application/vnd.tinkerbell.disk.v1+json';
export const PACK_TYPE = 'application/vnd.tinkerbell.disk.pack.v1';

const SMALL_CHUNK_BYTES = 1024 * 1024;
const LARGE_CHUNK_BYTES = 4 * 1024 * 1024;
/** The index has room for all small chunks of such a disk. */
const SMALL_CHUNKS_DISK_BYTES = 256 * 1024 ** 3;
/** Readers accept powers of two in these bounds, because each chunk is in memory as a whole. */
export const CHUNK_BYTES_MIN = 64 * 1024;
export const CHUNK_BYTES_MAX = 16 * 1024 * 1024;
/** zstd adds less than this to a chunk that does not compress. */
export const OVERHEAD_BYTES_MAX = 128 * 1024;
/** Room for 300,000 distinct chunks, which are more than 256 GiB of small ones, and more than 1 TiB of large ones. */
export const DISK_CONFIG_BYTES_MAX = 32 * 1024 * 1024;
/** Above any disk, and exact as a number. */
export const DISK_BYTES_MAX = 2 ** 50;
/** `readManifest` accepts as many layers. */
export const PACKS_MAX = 1024;
export const FORMAT_VERSION = 1;

export interface Pack {
  readonly digest: Digest;
  readonly sizeBytes: number;
}

export interface StoredChunk {
  /** SHA-256 of its bytes on the disk. */
  readonly digest: Digest;
  /** The number of its pack. */
  readonly pack: number;
  /** Where its compressed bytes begin in the pack, and how many they are. */
  readonly offset: number;
  readonly length: number;
}

/** Neighbouring chunks of the disk that are also neighbours in the list of chunks. */
export interface Run {
  /** The number of the first chunk of the disk. */
  readonly position: number;
  /** Its number in the list of chunks. */
  readonly chunk: number;
  readonly count: number;
}

export interface DiskImage {
  readonly diskBytes: number;
  readonly chunkBytes: number;
  readonly packs: readonly Pack[];
  /** Each distinct chunk once. */
  readonly chunks: readonly StoredChunk[];
  /** In the order of their positions. What lies between them is zeros. */
  readonly runs: readonly Run[];
}

/** A chunk of the disk. */
export interface PlacedChunk {
  readonly position: number;
  /** Where it begins on the disk, and how many bytes it has. Only the last one of the disk may be shorter than the others. */
  readonly diskOffset: number;
  readonly diskLength: number;
  readonly stored: StoredChunk;
}

/**
 * Returns the size of the chunks of a new image. Small ones send less for a small change and fit the caches of a processor.
 * `undefined` is a disk whose size is not known yet.
 */
export function chunkBytesFor(diskBytes: number | undefined): number {
  return (diskBytes ?? 0) > SMALL_CHUNKS_DISK_BYTES ? LARGE_CHUNK_BYTES : SMALL_CHUNK_BYTES;
}

export function isDiskManifest({ config }: ImageManifest): boolean {
  return config.mediaType === DISK_CONFIG_TYPE;
}

export function positionCount({
  diskBytes,
  chunkBytes,
}: Pick<DiskImage, 'diskBytes' | 'chunkBytes'>): number {
  return Math.ceil(diskBytes / chunkBytes);
}
