import { clusterOffset, safeNumber } from './header.ts';
import { Qcow2Error } from './qcow2-error.ts';

/** Where the content of a cluster is. */
export type Cluster =
  | { readonly kind: 'zeros' }
  | { readonly kind: 'plain'; readonly offset: number }
  | { readonly kind: 'compressed'; readonly offset: number; readonly length: number };

export interface ClusterFormat {
  readonly version: 2 | 3;
  readonly clusterBits: number;
  readonly fileBytes: number;
}

const COMPRESSED = 1n << 62n;
const ZEROS = 1n;
/** Bits 9 to 55. */
const OFFSET_MASK = 0x00ff_ffff_ffff_fe00n;
/** Bits 1 to 8 and 56 to 61 are reserved, and bit 0 is in version 2. */
const RESERVED_MASK = 0x3f00_0000_0000_01fen;
const SECTOR_BYTES = 512;

/** Reads an L2 entry. Throws a `Qcow2Error` that names it by the number of its cluster on the disk. */
export function readCluster(entry: bigint, index: number, format: ClusterFormat): Cluster {
  const field = `L2 entry of cluster ${index}`;
  const { version, clusterBits, fileBytes } = format;
  if ((entry & COMPRESSED) !== 0n) return compressedAt(entry, field, format);
  if ((entry & RESERVED_MASK) !== 0n || (version === 2 && (entry & ZEROS) !== 0n))
    throw new Qcow2Error(field, `0x${entry.toString(16)} has reserved bits`);
  const offset = clusterOffset(entry & OFFSET_MASK, clusterBits, field);
  if ((entry & ZEROS) !== 0n || offset === 0) return { kind: 'zeros' };
  if (offset >= fileBytes)
    throw new Qcow2Error(field, `offset ${offset} is beyond the file of ${fileBytes} bytes`);
  return { kind: 'plain', offset };
}

/** The length is in sectors of 512 bytes, so the last bytes may belong to the next cluster. */
function compressedAt(entry: bigint, field: string, { clusterBits, fileBytes }: ClusterFormat): Cluster {
  const offsetBits = BigInt(62 - (clusterBits - 8));
  const offset = safeNumber(entry & ((1n << offsetBits) - 1n), field);
  const sectors = Number((entry & (COMPRESSED - 1n)) >> offsetBits) + 1;
  const length = sectors * SECTOR_BYTES - (offset % SECTOR_BYTES);
  if (offset === 0 || offset >= fileBytes)
    throw new Qcow2Error(field, `offset ${offset} is not within the file of ${fileBytes} bytes`);
  return { kind: 'compressed', offset, length: Math.min(length, fileBytes - offset) };
}
