/**
 * The few system calls that an action needs and Node does not have. They block, so each does little. Without
 * node:ffi (another Node version, a permission policy) they return `unsupported`.
 */
import type * as Ffi from 'node:ffi';
import { createRequire } from 'node:module';
import type { SegmentPlan } from './kexec/arm64-segments.ts';

export type CallResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: string; readonly errorNumber?: number };

const FALLOCATE_KEEP_SIZE = 0x01;
const FALLOCATE_PUNCH_HOLE = 0x02;
const FALLOCATE_ZERO_RANGE = 0x10;
const SEEK_DATA = 3;
/** ENXIO. */
const ONLY_A_HOLE = /No such device or address/;
const IOCTL_BLKRRPART = 0x125f;
/**
 * First deallocate so that the range reads as zeros. Otherwise write zeros in the kernel, which every block
 * device supports.
 */
export const ZERO_METHODS = {
  deallocate: FALLOCATE_PUNCH_HOLE | FALLOCATE_KEEP_SIZE,
  overwrite: FALLOCATE_ZERO_RANGE | FALLOCATE_KEEP_SIZE,
} as const;

/** `kexec_file_load`, from the kernel's system call tables. */
const KEXEC_FILE_LOAD: Readonly<Record<string, number>> = { x64: 320, arm64: 294 };
const KEXEC_FILE_NO_INITRAMFS = 0x04;

/** `kexec_load` of 64-bit ARM, and EM_AARCH64 in the upper half of its flags. */
const KEXEC_LOAD_ARM64 = 104n;
const KEXEC_ARCH_ARM64 = 183n << 16n;
const SEGMENTS_SIGNATURE = { return: 'i64', arguments: ['i64', 'u64', 'u64', 'buffer', 'u64'] } as const;

const REBOOT_COMMANDS = {
  reboot: 0x01234567,
  'power-off': 0x4321fedc,
  kexec: 0x45584543,
} as const;

const SIGNATURES = {
  fallocate: { return: 'i32', arguments: ['i32', 'i32', 'i64', 'i64'] },
  lseek: { return: 'i64', arguments: ['i32', 'i64', 'i32'] },
  ioctl: { return: 'i32', arguments: ['i32', 'u64', 'u64'] },
  lsetxattr: { return: 'i32', arguments: ['buffer', 'buffer', 'buffer', 'u64', 'i32'] },
  reboot: { return: 'i32', arguments: ['i32'] },
  syscall: { return: 'i64', arguments: ['i64', 'i64', 'i64', 'i64', 'buffer', 'i64'] },
  strerror: { return: 'pointer', arguments: ['i32'] },
  __errno_location: { return: 'pointer', arguments: [] },
} as const;

const UNSUPPORTED: CallResult = { ok: false, error: 'unsupported: this Node has no node:ffi' };

/**
 * Makes `length` bytes at `offset` of a block device or file read as zeros. Both must be multiples of 4096.
 */
export function zeroRange(
  descriptor: number,
  range: { readonly offset: number; readonly length: number },
  method: keyof typeof ZERO_METHODS,
): CallResult {
  return call((library) =>
    library.functions.fallocate(descriptor, ZERO_METHODS[method], BigInt(range.offset), BigInt(range.length)),
  );
}

/**
 * Returns where data begins in a file at or after `offset`, and undefined when only a hole follows. Where that is unknown, data
 * begins at once. Changes the position of the file.
 */
export function nextData(descriptor: number, offset: number): number | undefined {
  let found = offset;
  const result = call((library) => {
    const at = library.functions.lseek(descriptor, BigInt(offset), SEEK_DATA);
    found = Number(at);
    return at;
  });
  if (result.ok) return found;
  return ONLY_A_HOLE.test(result.error) ? undefined : offset;
}

/** Sets an extended attribute of a file, and of a link itself. The name is a byte string. */
export function setAttribute(path: string, name: string, value: Uint8Array): CallResult {
  return call((library) =>
    library.functions.lsetxattr(
      Buffer.from(`${path}\0`),
      Buffer.from(`${name}\0`, 'latin1'),
      // A buffer of no bytes has no address.
      value.length === 0 ? Buffer.alloc(1) : value,
      BigInt(value.length),
      0,
    ),
  );
}

/** Makes the kernel read the partition table of a whole disk again. */
export function rereadPartitionTable(descriptor: number): CallResult {
  return call((library) => library.functions.ioctl(descriptor, BigInt(IOCTL_BLKRRPART), 0n));
}

/** Loads the kernel that `changeMachineState('kexec')` starts. */
export interface KernelFiles {
  readonly kernelDescriptor: number;
  /** Absent when there is no initramfs. */
  readonly initramfsDescriptor: number | undefined;
  readonly commandLine: string;
}

export function loadKernelFiles(request: KernelFiles): CallResult {
  const number = KEXEC_FILE_LOAD[process.arch];
  if (number === undefined) return { ok: false, error: `unsupported on ${process.arch}` };
  const commandLine = Buffer.from(`${request.commandLine}\0`);
  const flags = request.initramfsDescriptor === undefined ? KEXEC_FILE_NO_INITRAMFS : 0;
  return call((library) =>
    library.functions.syscall(
      BigInt(number),
      BigInt(request.kernelDescriptor),
      BigInt(request.initramfsDescriptor ?? -1),
      BigInt(commandLine.length),
      commandLine,
      BigInt(flags),
    ),
  );
}

/** `kexec_load`: struct kexec_segment has four numbers of 64 bits. For a kernel without kexec_file_load. */
export function loadSegments({ entry, segments }: SegmentPlan): CallResult {
  return call(({ open, addressOf }) => {
    const list = new BigUint64Array(
      segments.flatMap(({ bytes, at, size }) => [
        addressOf(bytes),
        BigInt(bytes.length),
        BigInt(at),
        BigInt(size),
      ]),
    );
    // A library has one signature for each function.
    const { functions } = open(null, { syscall: SEGMENTS_SIGNATURE });
    return functions.syscall(
      KEXEC_LOAD_ARM64,
      BigInt(entry),
      BigInt(segments.length),
      list,
      KEXEC_ARCH_ARM64,
    );
  });
}

/**
 * Restarts, powers off or starts the loaded kernel at once. Data in caches is lost, so write it to the disks
 * before. Returns only on failure.
 */
export function changeMachineState(command: keyof typeof REBOOT_COMMANDS): CallResult {
  return call((library) => library.functions.reboot(REBOOT_COMMANDS[command] | 0));
}

type Library = ReturnType<typeof openLibrary>;
let opened: Library | undefined;

function openLibrary() {
  // Required rather than imported, because a Node without it must still run everything else.
  const ffi: typeof Ffi = withoutWarnings(() => createRequire(import.meta.url)('node:ffi'));
  const { dlopen: open, getInt32: readInt32, toString: readText, getRawPointer: addressOf } = ffi;
  return { ...open(null, SIGNATURES), open, readInt32, readText, addressOf };
}

/** Node warns that node:ffi may change, which an operator can do nothing about. */
function withoutWarnings<Value>(work: () => Value): Value {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function call(work: (library: Library) => number | bigint): CallResult {
  try {
    opened ??= openLibrary();
  } catch {
    return UNSUPPORTED;
  }
  if (Number(work(opened)) >= 0) return { ok: true };
  // errno is only valid until the next call into the C library.
  const code = opened.readInt32(opened.functions.__errno_location());
  const error = opened.readText(opened.functions.strerror(code)) ?? `errno ${code}`;
  return { ok: false, error, errorNumber: code };
}
