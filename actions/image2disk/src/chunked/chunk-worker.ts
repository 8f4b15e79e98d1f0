/**
 * What a thread does: it unpacks chunks, hashes them, writes them, and waits for the device to zero a range. The texts of these
 * functions become the thread's program, because the agent is bundled into one file. Therefore none uses anything outside of itself,
 * except what every thread has.
 */
import type * as Crypto from 'node:crypto';
import type * as Threads from 'node:worker_threads';
import {
  directPack,
  directUnpack,
  directWrite,
  directZero,
  nodePack,
  nodeUnpack,
  type Pack,
  type Unpack,
  type Write,
  type WritePlace,
  type Zero,
  type ZeroOrder,
} from './thread-calls.ts';

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
  | ({ readonly kind: 'write'; readonly id: number; readonly slot: number } & WriteOrder)
  | ({ readonly kind: 'pack'; readonly id: number; readonly slot: number } & PackOrder)
  | ({ readonly kind: 'zero'; readonly id: number } & ZeroOrder);

/** Unpacks and hashes pieces, and writes them together when all digests are right. */
export interface WriteOrder extends WritePlace {
  /** They follow each other in `SlotMemory.disk`, from its beginning on. */
  readonly pieces: readonly Piece[];
  /** Hexadecimal SHA-256 of each piece. */
  readonly sha256: readonly string[];
}

/** Hashes and packs the first bytes of `SlotMemory.disk`. */
export interface PackOrder {
  readonly length: number;
}

export interface ChunkReport {
  readonly id: number;
  /**
   * Hexadecimal SHA-256 of each piece, and '' for a piece that does not unpack to its length. Of what was packed: its SHA-256, and
   * the number of its packed bytes, 0 when they have no room. For zeros: one text, '' when the device cannot do it.
   */
  readonly results: readonly string[];
  /** Why the disk refused a write. */
  readonly refused?: string;
}

interface WorkerParts {
  readonly threads: typeof Threads;
  readonly crypto: typeof Crypto;
  readonly unpack: Unpack;
  readonly pack: Pack;
  readonly zero: Zero;
  readonly write: Write;
}

function chunkWorker({ threads, crypto, unpack, pack, zero, write }: WorkerParts): void {
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
    const digests = order.pieces.map((piece) => digestOf(memory, piece));
    if (order.kind === 'write' && order.sha256.every((wanted, index) => wanted === digests[index])) {
      const length = order.pieces.reduce((sum, piece) => sum + piece.length, 0);
      write(Buffer.from(memory.disk.buffer, memory.disk.byteOffset, length), order);
    }
    return digests;
  };
  const reportOn = (order: ChunkOrder): ChunkReport => {
    const { id } = order;
    if (order.kind !== 'write') return { id, results: resultsOf(order) };
    try {
      return { id, results: resultsOf(order) };
    } catch (error) {
      return { id, results: [], refused: error instanceof Error ? error.message : String(error) };
    }
  };
  port?.on('message', (order: ChunkOrder | MemoryOrder) => {
    if (order.kind === 'memory') {
      slots = order.slots;
      return;
    }
    port.postMessage(reportOn(order), []);
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
const zero = (${directZero.toString()})(ffi);
(${chunkWorker.toString()})({
  threads: require('node:worker_threads'),
  crypto: require('node:crypto'),
  unpack: (${directUnpack.toString()})(ffi) ?? (${nodeUnpack.toString()})(require('node:zlib')),
  pack: (${directPack.toString()})(ffi) ?? (${nodePack.toString()})(require('node:zlib')),
  zero,
  write: (${directWrite.toString()})(require('node:fs'), zero),
});`;
}
