/**
 * What a thread does: it unpacks chunks and hashes them, and waits for the device to zero a range. The texts of these
 * functions become the thread's program, because the agent is bundled into one file. Therefore none uses anything outside of itself,
 * except what every thread has.
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

/** The first message. It has no answer. */
interface MemoryOrder {
  readonly kind: 'memory';
  readonly slots: readonly SlotMemory[];
}

export type ChunkOrder =
  | { readonly kind: 'hash'; readonly id: number; readonly slot: number; readonly pieces: readonly Piece[] }
  | ({ readonly kind: 'pack'; readonly id: number; readonly slot: number } & PackOrder)
  | ({ readonly kind: 'zero'; readonly id: number } & ZeroOrder);

/** Hashes and packs the first bytes of `SlotMemory.disk`. */
export interface PackOrder {
  readonly length: number;
}

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
   * Hexadecimal SHA-256 of each piece, and '' for a piece that does not unpack to its length. Of what was packed: its SHA-256, and
   * the number of its packed bytes, 0 when they have no room. For zeros: one text, '' when the device cannot do it.
   */
  readonly results: readonly string[];
}

/** Unpacks into `target` and returns whether it is full then. */
type Unpack = (packed: Uint8Array, target: Uint8Array) => boolean;
/** Packs into `target` as fast as possible. Returns the number of bytes, and 0 when they have no room. */
type Pack = (bytes: Uint8Array, target: Uint8Array) => number;
/** Returns false when the device cannot do it. */
type Zero = (order: ZeroOrder) => boolean;

/** With a stream, which needs memory of its own and a copy. */
function nodeUnpack({ zstdDecompressSync }: typeof Zlib): Unpack {
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
function directUnpack(ffi: typeof Ffi | undefined): Unpack | undefined {
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

function nodePack({ zstdCompressSync, constants }: typeof Zlib): Pack {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return (bytes, target) => {
    const packed = zstdCompressSync(bytes, { params });
    if (packed.length > target.length) return 0;
    target.set(packed);
    return packed.length;
  };
}

function directPack(ffi: typeof Ffi | undefined): Pack | undefined {
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

function directZero(ffi: typeof Ffi | undefined): Zero {
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

interface WorkerParts {
  readonly threads: typeof Threads;
  readonly crypto: typeof Crypto;
  readonly unpack: Unpack;
  readonly pack: Pack;
  readonly zero: Zero;
}

function chunkWorker({ threads, crypto, unpack, pack, zero }: WorkerParts): void {
  let slots: readonly SlotMemory[] = [];
  const port = threads.parentPort;
  const digestOf = ({ disk, packed }: SlotMemory, piece: Piece): string => {
    const target = disk.subarray(piece.start, piece.start + piece.length);
    const source = piece.packed;
    if (source !== undefined) {
      const bytes = packed.subarray(source.start, source.start + source.length);
      if (!unpack(bytes, target)) return '';
    }
    return crypto.hash('sha256', target);
  };
  const resultsOf = (order: ChunkOrder): readonly string[] => {
    if (order.kind === 'zero') return [zero(order) ? 'zeros' : ''];
    const memory = slots[order.slot];
    if (memory === undefined) throw new Error(`there is no slot ${order.slot}`);
    if (order.kind === 'pack') {
      const bytes = memory.disk.subarray(0, order.length);
      return [crypto.hash('sha256', bytes), String(pack(bytes, memory.packed))];
    }
    return order.pieces.map((piece) => digestOf(memory, piece));
  };
  port?.on('message', (order: ChunkOrder | MemoryOrder) => {
    if (order.kind === 'memory') {
      slots = order.slots;
      return;
    }
    const report: ChunkReport = { id: order.id, results: resultsOf(order) };
    port.postMessage(report, []);
  });
}

/** The program of a thread. Node warns that node:ffi may change, which an operator can do nothing about. */
export function chunkProgram({ withFfi }: { readonly withFfi: boolean }): string {
  return `const { emitWarning } = process;
let ffi;
try {
  process.emitWarning = () => {};
  if (${withFfi}) ffi = require('node:ffi');
} catch {}
process.emitWarning = emitWarning;
(${chunkWorker.toString()})({
  threads: require('node:worker_threads'),
  crypto: require('node:crypto'),
  unpack: (${directUnpack.toString()})(ffi) ?? (${nodeUnpack.toString()})(require('node:zlib')),
  pack: (${directPack.toString()})(ffi) ?? (${nodePack.toString()})(require('node:zlib')),
  zero: (${directZero.toString()})(ffi),
});`;
}
