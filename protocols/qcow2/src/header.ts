/** The header of an image. All numbers of the format are big-endian. */
import { Qcow2Error } from './qcow2-error.ts';

export interface Qcow2Header {
  readonly version: 2 | 3;
  /** Bytes of the disk. */
  readonly diskBytes: number;
  /** The size of a cluster is two to the power of this. */
  readonly clusterBits: number;
  readonly l1Offset: number;
  /** Entries that the disk needs. The table may have more. */
  readonly l1Entries: number;
  readonly compression: 'zlib' | 'zstd';
}

/** Version 3 with its compression type. */
export const HEADER_BYTES = 112;
const VERSION_2_BYTES = 72;
const MAGIC = 0x5146_49fb;
const CLUSTER_BITS_MIN = 9;
/** QEMU's limits, which every image of QEMU keeps. They bound what one table costs. */
const CLUSTER_BITS_MAX = 21;
const L1_BYTES_MAX = 32 * 1024 * 1024;

/** Bits of `incompatible_features`. The dirty bit concerns only reference counts. */
const DIRTY = 1n << 0n;
const CORRUPT = 1n << 1n;
const EXTERNAL_DATA = 1n << 2n;
const COMPRESSION_TYPE = 1n << 3n;
const EXTENDED_L2 = 1n << 4n;
const KNOWN = DIRTY | COMPRESSION_TYPE;

const REFUSED: readonly (readonly [bigint, string])[] = [
  [CORRUPT, 'the image is marked as corrupt: repair it with qemu-img check -r all'],
  [EXTERNAL_DATA, 'the data is in another file: convert the image with qemu-img convert'],
  [EXTENDED_L2, 'extended L2 entries are not supported: convert the image with qemu-img convert'],
];

export function isQcow2(start: Uint8Array): boolean {
  return [0x51, 0x46, 0x49, 0xfb].every((byte, index) => start[index] === byte);
}

/** Reads the first HEADER_BYTES of a file. Throws a `Qcow2Error` that names the field. */
export function decodeHeader(bytes: Uint8Array): Qcow2Header {
  if (bytes.length < VERSION_2_BYTES)
    throw new Qcow2Error('header', `the file has only ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== MAGIC) throw new Qcow2Error('magic', 'this is not a qcow2 image');
  const version = view.getUint32(4);
  if (version !== 2 && version !== 3)
    throw new Qcow2Error('version', `${version} is not supported, only 2 and 3`);
  assertPlain(view);
  if (version === 3) assertFeatures(view);
  const clusterBits = view.getUint32(20);
  if (clusterBits < CLUSTER_BITS_MIN || clusterBits > CLUSTER_BITS_MAX)
    throw new Qcow2Error(
      'cluster_bits',
      `${clusterBits} is not from ${CLUSTER_BITS_MIN} to ${CLUSTER_BITS_MAX}`,
    );
  const diskBytes = safeNumber(view.getBigUint64(24), 'size');
  return {
    version,
    diskBytes,
    clusterBits,
    l1Offset: clusterOffset(view.getBigUint64(40), clusterBits, 'l1_table_offset'),
    l1Entries: l1EntriesOf(view.getUint32(36), diskBytes, clusterBits),
    compression: version === 3 ? compressionOf(view) : 'zlib',
  };
}

function assertPlain(view: DataView): void {
  if (view.getBigUint64(8) !== 0n)
    throw new Qcow2Error(
      'backing_file_offset',
      'the image has a backing file, whose data is missing here: convert it with qemu-img convert',
    );
  const encryption = view.getUint32(32);
  if (encryption !== 0)
    throw new Qcow2Error(
      'crypt_method',
      `the image is encrypted (${encryption}): convert it with qemu-img convert`,
    );
}

function assertFeatures(view: DataView): void {
  if (view.byteLength < HEADER_BYTES - 8) throw new Qcow2Error('header', 'the file ends within it');
  const features = view.getBigUint64(72);
  for (const [bit, reason] of REFUSED)
    if ((features & bit) !== 0n) throw new Qcow2Error('incompatible_features', reason);
  const unknown = features & ~KNOWN;
  if (unknown !== 0n)
    throw new Qcow2Error('incompatible_features', `bits 0x${unknown.toString(16)} are not supported`);
}

function compressionOf(view: DataView): 'zlib' | 'zstd' {
  if ((view.getBigUint64(72) & COMPRESSION_TYPE) === 0n) return 'zlib';
  const headerBytes = view.getUint32(100);
  const type = headerBytes > 104 && view.byteLength > 104 ? view.getUint8(104) : 0;
  if (type === 0) return 'zlib';
  if (type === 1) return 'zstd';
  throw new Qcow2Error('compression_type', `${type} is not supported, only 0 (zlib) and 1 (zstd)`);
}

function l1EntriesOf(stored: number, diskBytes: number, clusterBits: number): number {
  const bytesPerEntry = 2 ** clusterBits * 2 ** (clusterBits - 3);
  const needed = Math.ceil(diskBytes / bytesPerEntry);
  if (needed * 8 > L1_BYTES_MAX)
    throw new Qcow2Error('size', `${diskBytes} bytes are too many for clusters of ${2 ** clusterBits} bytes`);
  if (stored < needed)
    throw new Qcow2Error('l1_size', `${stored} entries do not cover a disk of ${diskBytes} bytes`);
  return needed;
}

export function safeNumber(value: bigint, field: string): number {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw new Qcow2Error(field, `${value} is beyond every file`);
}

/** A table and a cluster start at a multiple of the cluster. */
export function clusterOffset(value: bigint, clusterBits: number, field: string): number {
  const offset = safeNumber(value, field);
  if (offset % 2 ** clusterBits === 0) return offset;
  throw new Qcow2Error(field, `offset ${offset} is not a multiple of the cluster`);
}
