export { loadKernel } from './kexec/load-kernel.ts';
export {
  ActionError,
  defineAction,
  type Action,
  type ActionContext,
  type ActionResult,
  type Environment,
  type MachineEffect,
  type Progress,
} from './action.ts';
export { agentSession, type AgentSession } from './agent-session.ts';
export { readEnvironment, EnvironmentReader, type IntegerRange } from './environment.ts';
export { mustRun, runProgram, type ProgramOptions, type ProgramResult } from './run-program.ts';
export { assertInstalled, programText } from './program-text.ts';
export { diskSignatures, wipeSignatures } from './disk-signatures.ts';
export { assertUnused, ownPath, presentDevices, readDevices } from './device-list.ts';
export { hasKernelDevices, requireKernelDevices, type KernelDriver } from './kernel-devices.ts';
export { withMounted, type MountRequest } from './mounted.ts';
export {
  assertBlockDevice,
  describeDisks,
  deviceSize,
  listDisks,
  sectorSize,
  type Disk,
} from './block-device.ts';
export { formatBytes } from './format-bytes.ts';
export {
  changeMachineState,
  nextData,
  rereadPartitionTable,
  ZERO_METHODS,
  zeroRange,
  type CallResult,
} from './system-calls.ts';
export { compressionByExtension, detectCompression, type Compression } from './compression.ts';
export { decompress } from './decompress.ts';
export { DiskWriter, openDiskWriter, type WriteTotals } from './disk-writer.ts';
export { downloadImage } from './image-download.ts';
export { openWholeDisk } from './whole-disk.ts';
export { writeFully, writeInOrder } from './write-fully.ts';
export { zeroOut, type AskForZeros } from './zero-out.ts';
export { assertNotStopped } from './stop-in-time.ts';
export { directoryBelow, type NewDirectory } from './directory-below.ts';
export { unpackTar, type UnpackTotals } from './unpack-tar.ts';
export { peekStart } from './peek-start.ts';
export { progressMeter, type ProgressMeter } from './progress-meter.ts';
export { openRangeFile, withRetries, type RangeFile, type RangeRequest } from './range-file.ts';
export { alignedBuffer, sharedAlignedBuffer } from './aligned-buffer.ts';
export { openDiskReader, type DiskReader } from './disk-reader.ts';
export { readTableOf } from './read-table.ts';
export { withSystemDirectories } from './system-directories.ts';
export { splitZeros } from './zero-runs.ts';
export { DroppedError, getFollowing, refusedBy } from './http-get.ts';
export { qcow2Decoders } from './qcow2-decoders.ts';
export { hookUrlIn } from './segments/hook-url.ts';
export { ensureSegment } from './segments/ensure-segment.ts';
export { isInMemorySystem, offeredSegment, type SegmentName } from './segments/offered-segments.ts';
