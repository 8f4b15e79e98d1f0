export {
  chunkBytesFor,
  DISK_CONFIG_BYTES_MAX,
  DISK_CONFIG_TYPE,
  isDiskManifest,
  OVERHEAD_BYTES_MAX,
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
export {
  followsInPack,
  packedPart,
  requestBytesMax,
  stretchesOf,
  stretchRoom,
  type Stretch,
} from './stretches.ts';
export { sharedBytes, sizesOf, type DiskSizes } from './compare.ts';
export { chunkTable, type ChunkTable } from './peers/chunk-table.ts';
export {
  ASK_EVERY_MS,
  PEERS_ANSWER_BYTES_MAX,
  PEERS_PATH,
  PEERS_REQUEST_BYTES_MAX,
  readPeersAnswer,
  readPeersRequest,
  SECRET_HEADER,
  type PeersAnswer,
  type PeersRequest,
} from './peers/messages.ts';
export type { KnownPeer } from './peers/known-peer.ts';
export { PeerList } from './peers/peer-list.ts';
export { SendBudget } from './peers/send-budget.ts';
export { SharedWalk, type Lane, type Step } from './peers/shared-walk.ts';
