/**
 * What a thread does: it unpacks chunks and hashes them, and waits for the device to zero a range. The text of this function becomes the thread's program, because the agent
 * is bundled into one file. Therefore it must not use anything outside of itself, except what every thread has.
 */
import type * as Crypto from 'node:crypto';
import type * as Ffi from 'node:ffi';
import type * as Threads from 'node:worker_threads';
import type * as Zlib from 'node:zlib';

/** Memory that all threads share. */
export interface SlotMemory {
  /** Chunks as they are on the disk. */
  readonly disk: Uint8Array<SharedArrayBuffer>;
  /** Chunks as they are in their pack. */
  readonly packed: Uint8Array<SharedArrayBuffer>;
}

export interface Piece {
  /** In `SlotMemory.packed`. Nothing is unpacked when it is absent. */
  readonly packed?: { readonly start: number; readonly length: number };
  /** In `SlotMemory.disk`. */
  readonly start: number;
  readonly length: number;
}

export type ChunkOrder =
  | { readonly kind: 'hash'; readonly id: number; readonly slot: number; readonly pieces: readonly Piece[] }
  | ({ readonly kind: 'zero'; readonly id: number } & ZeroOrder);

/** A request to the device, which may take long. */
export interface ZeroOrder {
  readonly descriptor: number;
  readonly offset: number;
  readonly length: number;
  /** Of fallocate(2). The first one that the device supports counts. */
  readonly modes: readonly number[];
}

export interface ChunkReport {
  readonly id: number;
  /**
   * Hexadecimal SHA-256 of each piece, and '' for a piece that does not unpack to its length. For zeros: one text, '' when the
   * device cannot do it.
   */
  readonly results: readonly string[];
}

interface Modules {
  readonly threads: typeof Threads;
  readonly crypto: typeof Crypto;
  readonly zlib: typeof Zlib;
  /** Absent in another Node version, and where a permission policy forbids it. */
  readonly ffi: typeof Ffi | undefined;
}

/** Unpacks into `target` and returns whether it is full then. */
type Unpack = (packed: Uint8Array, target: Uint8Array) => boolean;

export function chunkWorker({ threads, crypto, zlib, ffi }: Modules): void {
  const slots: readonly SlotMemory[] = threads.workerData;
  const port = threads.parentPort;
  /** Room for the end of a frame, without which a second buffer of the same size is made. */
  const spareBytes = 64;
  const unpackByNode: Unpack = (packed, target) => {
    const { length } = target;
    try {
      const limits = { maxOutputLength: length, chunkSize: length + spareBytes };
      const bytes = zlib.zstdDecompressSync(packed, limits);
      if (bytes.length !== length) return false;
      target.set(bytes);
      // Kept until a garbage collection otherwise. A small one is part of Node's pool.
      if (bytes.buffer.byteLength <= length + spareBytes) bytes.buffer.transfer(0);
      return true;
    } catch {
      return false;
    }
  };
  /** Node's own copy of the same library, without the memory and the copy that a stream needs, which are a third of the time. */
  const directUnpack = (): Unpack | undefined => {
    try {
      const arguments_ = ['buffer', 'u64', 'buffer', 'u64'] as const;
      const library = ffi?.dlopen(null, { ZSTD_decompress: { return: 'u64', arguments: arguments_ } });
      if (library === undefined) return undefined;
      const { ZSTD_decompress: call } = library.functions;
      return (packed, target) =>
        call(target, BigInt(target.length), packed, BigInt(packed.length)) === BigInt(target.length);
    } catch {
      return undefined;
    }
  };
  const unpack = directUnpack() ?? unpackByNode;
  const digestOf = ({ disk, packed }: SlotMemory, piece: Piece): string => {
    const target = disk.subarray(piece.start, piece.start + piece.length);
    const source = piece.packed;
    if (source !== undefined) {
      const bytes = packed.subarray(source.start, source.start + source.length);
      if (!unpack(bytes, target)) return '';
    }
    return crypto.hash('sha256', target);
  };
  let zeroed: ((order: ZeroOrder) => boolean) | undefined;
  const zeroing = (): ((order: ZeroOrder) => boolean) => {
    try {
      const arguments_ = ['i32', 'i32', 'i64', 'i64'] as const;
      const library = ffi?.dlopen(null, { fallocate: { return: 'i32', arguments: arguments_ } });
      if (library === undefined) return () => false;
      const { fallocate: call } = library.functions;
      return ({ descriptor, offset, length, modes }) =>
        modes.some((mode) => call(descriptor, mode, BigInt(offset), BigInt(length)) === 0);
    } catch {
      return () => false;
    }
  };
  const resultsOf = (order: ChunkOrder): readonly string[] => {
    if (order.kind === 'zero') return [(zeroed ??= zeroing())(order) ? 'zeros' : ''];
    const memory = slots[order.slot];
    if (memory === undefined) throw new Error(`there is no slot ${order.slot}`);
    return order.pieces.map((piece) => digestOf(memory, piece));
  };
  port?.on('message', (order: ChunkOrder) => {
    const report: ChunkReport = { id: order.id, results: resultsOf(order) };
    port.postMessage(report, []);
  });
}

/** The program of a thread. Node warns that node:ffi may change, which an operator can do nothing about. */
export function chunkProgram({ withFfi }: { readonly withFfi: boolean }): string {
  const warn = 'process.emitWarning';
  return `const warn = ${warn};
let ffi;
try {
  ${warn} = () => {};
  if (${withFfi}) ffi = require('node:ffi');
} catch {}
${warn} = warn;
(${chunkWorker.toString()})({
  threads: require('node:worker_threads'),
  crypto: require('node:crypto'),
  zlib: require('node:zlib'),
  ffi,
});`;
}
