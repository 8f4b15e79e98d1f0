export { PartitionTableError } from './table-error.ts';
export { crc32 } from './crc32.ts';
export { guidFromBytes, guidToBytes, isGuid, readGuid, type Guid } from './guid.ts';
export { mbrTypes, partitionTypeName, partitionTypes, type PartitionTypeName } from './partition-kind.ts';
export type { DiskSource, DiskWrite, Geometry } from './disk.ts';
export type { WantedSize } from './place-partitions.ts';
export {
  planGpt,
  type GptAttributes,
  type GptPartition,
  type GptRequest,
  type GptTable,
} from './gpt-table.ts';
export { planMbr, encodeMbr, type MbrPartition, type MbrRequest, type MbrTable } from './mbr-table.ts';
export { encodeGpt } from './encode-gpt.ts';
export { readPartitionTable, type PartitionTable } from './read-partition-table.ts';
