/**
 * What a thread calls to unpack, pack, zero and write. Their texts become a part of the thread's program, so none uses anything outside of
 * itself.
 */
import type * as Ffi from 'node:ffi';
import type * as Fs from 'node:fs';
import type * as Zlib from 'node:zlib';

/** A request to the device, which may take long. */
export interface ZeroOrder {
  readonly descriptor: number;
  readonly offset: number;
  readonly length: number;
  /** Of fallocate(2). The first one that the device supports counts. */
  readonly modes: readonly number[];
}

/** Unpacks into `target` and returns whether it is full then. */
export type Unpack = (packed: Uint8Array, target: Uint8Array) => boolean;
/** Packs into `target` as fast as possible. Returns the number of bytes, and 0 when they have no room. */
export type Pack = (bytes: Uint8Array, target: Uint8Array) => number;
/** Returns false when the device cannot do it. */
export type Zero = (order: ZeroOrder) => boolean;

/** With a stream, which needs memory of its own and a copy. */
export function nodeUnpack({ zstdDecompressSync }: typeof Zlib): Unpack {
  /** Room for the end of a frame, without which a second buffer of the same size is made. */
  const spareBytes = 64;
  return (packed, target) => {
    const { length } = target;
    try {
      const limits = { maxOutputLength: length, chunkSize: length + spareBytes };
      const bytes = zstdDecompressSync(packed, limits);
      if (bytes.length !== length) return false;
      target.set(bytes);
      // Kept until a garbage collection otherwise. A small one is part of Node's pool.
      if (bytes.buffer.byteLength <= length + spareBytes) bytes.buffer.transfer(0);
      return true;
    } catch {
      return false;
    }
  };
}

/** With the same library in Node itself, which takes two thirds of the time. Undefined without node:ffi. */
export function directUnpack(ffi: typeof Ffi | undefined): Unpack | undefined {
  try {
    const signature = { return: 'u64', arguments: ['buffer', 'u64', 'buffer', 'u64'] } as const;
    const library = ffi?.dlopen(null, { ZSTD_decompress: signature });
    if (library === undefined) return undefined;
    const { ZSTD_decompress: call } = library.functions;
    return (packed, target) =>
      call(target, BigInt(target.length), packed, BigInt(packed.length)) === BigInt(target.length);
  } catch {
    return undefined;
  }
}

export function nodePack({ zstdCompressSync, constants }: typeof Zlib): Pack {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return (bytes, target) => {
    const packed = zstdCompressSync(bytes, { params });
    if (packed.length > target.length) return 0;
    target.set(packed);
    return packed.length;
  };
}

export function directPack(ffi: typeof Ffi | undefined): Pack | undefined {
  try {
    const types = ['buffer', 'u64', 'buffer', 'u64', 'i32'] as const;
    const library = ffi?.dlopen(null, { ZSTD_compress: { return: 'u64', arguments: types } });
    if (library === undefined) return undefined;
    const { ZSTD_compress: call } = library.functions;
    return (bytes, target) => {
      const length = call(target, BigInt(target.length), bytes, BigInt(bytes.length), 1);
      // A larger number is an error.
      return length > BigInt(target.length) ? 0 : Number(length);
    };
  } catch {
    return undefined;
  }
}

export function directZero(ffi: typeof Ffi | undefined): Zero {
  try {
    const signature = { return: 'i32', arguments: ['i32', 'i32', 'i64', 'i64'] } as const;
    const library = ffi?.dlopen(null, { fallocate: signature });
    if (library === undefined) return () => false;
    const { fallocate: call } = library.functions;
    return ({ descriptor, offset, length, modes }) =>
      modes.some((mode) => call(descriptor, mode, BigInt(offset), BigInt(length)) === 0);
  } catch {
    return () => false;
  }
}

/** Where a stretch belongs. */
export interface WritePlace {
  /** On the disk. */
  readonly offset: number;
  /** A descriptor for direct requests, and one for those that are no multiple of a block. */
  readonly direct: number;
  readonly buffered: number;
  readonly modes: ZeroOrder['modes'];
}

/** Writes from page-aligned memory, and throws what the disk says when it refuses. Long runs of zeros are not sent. */
export type Write = (bytes: Buffer, place: WritePlace) => void;

export function directWrite({ writeSync }: typeof Fs, zero: Zero): Write {
  /** The blocks of a device are not larger. Zeros are searched in larger parts, and shorter runs cost less to write than to request. */
  const [blockBytes, probeBytes, runBytesMin] = [4096, 64 * 1024, 256 * 1024];
  /** The first byte is zero, and each one is like the one before. */
  const isZero = (bytes: Buffer): boolean =>
    bytes[0] === 0 && bytes.compare(bytes, 1, bytes.length, 0, bytes.length - 1) === 0;
  const send = (descriptor: number, bytes: Uint8Array, offset: number): void => {
    for (let done = 0; done < bytes.length;)
      done += writeSync(descriptor, bytes, done, bytes.length - done, offset + done);
  };
  return (bytes, { offset, direct, buffered, modes }) => {
    const end = bytes.length - (bytes.length % blockBytes);
    const wholeProbes = end - (end % probeBytes);
    let [sent, run] = [0, 0];
    const endRun = (at: number): void => {
      const length = at - run;
      if (length < runBytesMin || !zero({ descriptor: buffered, offset: offset + run, length, modes }))
        return;
      send(direct, bytes.subarray(sent, run), offset + sent);
      sent = at;
    };
    for (let at = 0; at < wholeProbes; at += probeBytes) {
      if (isZero(bytes.subarray(at, at + probeBytes))) continue;
      endRun(at);
      run = at + probeBytes;
    }
    endRun(wholeProbes);
    send(direct, bytes.subarray(sent, end), offset + sent);
    // The end of an image may not be a multiple of a block. That part goes through the page cache.
    send(buffered, bytes.subarray(end), offset + end);
  };
}
