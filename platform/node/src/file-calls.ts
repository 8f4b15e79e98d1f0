/**
 * Sends bytes of a file from the page cache to a socket by system call, while Node must copy them into its own memory first. A
 * call blocks the event loop, so only cached bytes are sent this way. 64-bit Linux only.
 */
import { withoutFfiWarning } from './c-library.ts';

/** Do not wait for a disk (preadv2). File systems that cannot guarantee it, such as NFS, return EOPNOTSUPP. */
const RWF_NOWAIT = 8;
/** The kernel reads ahead and evicts in runs of pages, so one probe in each run is enough. */
const LOOK_BYTES = 64 * 1024;

export interface FileCalls {
  /** Returns whether the bytes are in the page cache, judged by some probes. Returns false on any failure. */
  isCached(fd: number, position: number, count: number): boolean;
  /** Reads bytes that are in the page cache. Returns how many: 0 when the first is not cached, at the end of the file, and on any failure. */
  readCached(fd: number, chunk: Uint8Array<ArrayBuffer>, position: number): number;
  /** Returns how many bytes the socket took: 0 at the end of the file, negative when it takes none now or has failed. */
  sendFile(socket: number, fd: number, part: { position: number; count: number }): number;
}

let loaded: Promise<FileCalls | undefined> | undefined;

/** Undefined except on 64-bit Linux with FFI. */
export function fileCalls(): Promise<FileCalls | undefined> {
  const isSupported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  loaded ??= isSupported ? load().catch(() => undefined) : Promise.resolve(undefined);
  return loaded;
}

async function load(): Promise<FileCalls> {
  const { dlopen, getRawPointer } = await withoutFfiWarning(() => import('node:ffi'));
  const { functions } = dlopen(null, {
    preadv2: { arguments: ['i32', 'pointer', 'i32', 'i64', 'i32'], return: 'i32' },
    sendfile: { arguments: ['i32', 'i32', 'pointer', 'u64'], return: 'i32' },
  });
  // Separate memory that does not move, because the kernel gets its address.
  const offset = new BigInt64Array(new ArrayBuffer(8));
  const byte = new Uint8Array(new ArrayBuffer(8));
  // struct iovec: address and length.
  const oneByte = new BigUint64Array([getRawPointer(byte), 1n]);
  const chunkVector = new BigUint64Array(new ArrayBuffer(16));
  const [offsetAt, oneByteAt] = [getRawPointer(offset), getRawPointer(oneByte)];
  const chunkVectorAt = getRawPointer(chunkVector);
  // The kernel writes to this address. Memory that no code references would be reused.
  const isCachedAt = (fd: number, position: number) =>
    byte.length > 0 && functions.preadv2(fd, oneByteAt, oneByte.length - 1, BigInt(position), RWF_NOWAIT) > 0;
  return {
    isCached(fd, position, count) {
      for (let at = position; at < position + count; at += LOOK_BYTES) if (!isCachedAt(fd, at)) return false;
      return isCachedAt(fd, position + count - 1);
    },
    readCached(fd, chunk, position) {
      chunkVector[0] = getRawPointer(chunk);
      chunkVector[1] = BigInt(chunk.length);
      return Math.max(0, functions.preadv2(fd, chunkVectorAt, 1, BigInt(position), RWF_NOWAIT));
    },
    sendFile(socket, fd, { position, count }) {
      offset[0] = BigInt(position);
      return functions.sendfile(socket, fd, offsetAt, BigInt(count));
    },
  };
}
