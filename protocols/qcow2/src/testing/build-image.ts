/** Writes small images: clusters of 512 bytes, and a "compression" that stores the first byte of a cluster. */
import type { Decoders, ImageFile } from '../read-image.ts';

export const CLUSTER = 512;
const PER_TABLE = CLUSTER / 8;

export type Content = 'missing' | 'zeros' | 'plain' | 'compressed';

/** The bytes of a cluster with content. */
export function contentOf(index: number, kind: Content): Uint8Array {
  const bytes = new Uint8Array(CLUSTER);
  if (kind === 'plain') for (let at = 0; at < CLUSTER; at += 1) bytes[at] = (index * 7 + at) % 251;
  if (kind === 'compressed') bytes.fill((index % 255) + 1);
  return bytes;
}

/** Layout: header, L1 table, then L2 tables and clusters in the order of the disk. */
export function buildImage(contents: readonly Content[], diskBytes = contents.length * CLUSTER): Uint8Array {
  const l1Entries = Math.ceil(contents.length / PER_TABLE);
  const l1Clusters = Math.max(Math.ceil((l1Entries * 8) / CLUSTER), 1);
  const bytes = new Uint8Array((1 + l1Clusters + l1Entries + contents.length) * CLUSTER);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x514649fb); // magic
  view.setUint32(4, 3); // version
  view.setUint32(20, 9); // cluster_bits
  view.setBigUint64(24, BigInt(diskBytes)); // size
  view.setUint32(36, l1Entries); // l1_size
  view.setBigUint64(40, BigInt(CLUSTER)); // l1_table_offset
  view.setUint32(100, 112); // header_length
  let next = (1 + l1Clusters) * CLUSTER;
  for (let table = 0; table < l1Entries; table += 1) {
    const part = contents.slice(table * PER_TABLE, (table + 1) * PER_TABLE);
    if (part.every((kind) => kind === 'missing')) continue;
    const l2 = next;
    next += CLUSTER;
    view.setBigUint64(CLUSTER + table * 8, BigInt(l2) | (1n << 63n));
    for (const [index, kind] of part.entries()) {
      view.setBigUint64(l2 + index * 8, entryFor(kind, next));
      if (kind === 'missing' || kind === 'zeros') continue;
      bytes.set(contentOf(table * PER_TABLE + index, kind), next);
      next += CLUSTER;
    }
  }
  return bytes.slice(0, next);
}

function entryFor(kind: Content, offset: number): bigint {
  if (kind === 'missing') return 0n;
  if (kind === 'zeros') return 1n;
  return kind === 'plain' ? BigInt(offset) | (1n << 63n) : BigInt(offset + 3) | (1n << 62n);
}

export function memoryFile(bytes: Uint8Array): ImageFile {
  return { sizeBytes: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

const repeat = async (input: Uint8Array, length: number): Promise<Uint8Array> =>
  new Uint8Array(length).fill(input[0] ?? 0);
export const repeatDecoders: Decoders = { zlib: repeat, zstd: repeat };
