export {
  chunkBytesFor,
  DISK_CONFIG_BYTES_MAX,
  DISK_CONFIG_TYPE,
  isDiskManifest,
  PACK_TYPE,
  type DiskImage,
  type Pack,
  type PlacedChunk,
  type Run,
  type StoredChunk,
} from './disk-image.ts';
export { readDiskImage } from './read-disk-image.ts';
export { diskManifest, encodeDiskConfig } from './encode-disk-image.ts';
export { DiskImageBuilder } from './disk-image-builder.ts';
export { packBytesFor } from './pack-size.ts';
export { positionsOf, probePositions } from './positions.ts';
export { packedPart, stretchesOf, stretchRoom, type Stretch } from './stretches.ts';
export { sharedBytes, sizesOf, type DiskSizes } from './compare.ts';
