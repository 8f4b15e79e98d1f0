import type { DiskSource, DiskWrite, Geometry } from '../disk.ts';

export interface MemoryDisk extends DiskSource {
  readonly bytes: Uint8Array;
}

/** A disk in memory with these writes on it. */
export function memoryDisk(geometry: Geometry, writes: readonly DiskWrite[]): MemoryDisk {
  const bytes = new Uint8Array(geometry.sectors * geometry.sectorBytes);
  for (const write of writes) bytes.set(write.bytes, write.offset);
  return {
    ...geometry,
    bytes,
    read: async (offset, length) => bytes.slice(offset, offset + length),
  };
}
