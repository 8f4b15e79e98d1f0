/** Unpacks, hashes and writes chunks beside each other and beside the network, in memory whose size is fixed. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ActionError, sharedAlignedBuffer, ZERO_METHODS } from '@tinkerbell/action-kit';
import { OVERHEAD_BYTES_MAX, requestBytesMax, stretchRoom } from '@tinkerbell/images';
import { messageOf } from '@tinkerbell/platform-contract';
import {
  chunkProgram,
  type ChunkOrder,
  type ChunkReport,
  type Piece,
  type WriteOrder,
} from './chunk-worker.ts';
import type { ZeroOrder } from './thread-calls.ts';

/** Each costs memory, and four of them are faster than most disks. One may wait for the device while another one unpacks. */
const THREADS_MIN = 2;
const THREADS_MAX = 4;
/** A thread keeps almost nothing. Small limits make it return memory early. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

const ZERO_MODES = [ZERO_METHODS.deallocate, ZERO_METHODS.overwrite];

/** Memory for one stretch, and for what one request fetches. */
export interface Slot {
  readonly number: number;
  /** Page-aligned. */
  readonly disk: Buffer<SharedArrayBuffer>;
  readonly packed: Buffer<SharedArrayBuffer>;
}

export interface Room {
  readonly slots: number;
  readonly servingSlots?: number;
}

interface Waiting {
  resolve(results: readonly string[]): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

export class ChunkThreads {
  readonly #threads: readonly Thread[];
  #slots: readonly Slot[] = [];
  #servingSlots: readonly Slot[] = [];
  #orders = 0;
  #failure: Error | undefined;

  /** They start beside other work. */
  constructor({ withFfi = true }: { readonly withFfi?: boolean } = {}) {
    const threads = Math.max(THREADS_MIN, Math.min(availableParallelism(), THREADS_MAX));
    this.#threads = Array.from({ length: threads }, () => this.#start(chunkProgram({ withFfi })));
  }

  /** Makes the memory. Call it once, before everything else. */
  allocate(image: { readonly chunkBytes: number }, { slots, servingSlots = 0 }: Room): void {
    const room = { ...stretchRoom(image), packedBytes: requestBytesMax(image) };
    const { chunkBytes } = image;
    const servingRoom = { diskBytes: chunkBytes, packedBytes: chunkBytes + OVERHEAD_BYTES_MAX };
    this.#slots = Array.from({ length: slots }, (_, number) => slotOf(number, room));
    this.#servingSlots = Array.from({ length: servingSlots }, (_, number) =>
      slotOf(slots + number, servingRoom),
    );
    const memory = [...this.#slots, ...this.#servingSlots].map(({ disk, packed }) => ({ disk, packed }));
    for (const { worker } of this.#threads) worker.postMessage({ kind: 'memory', slots: memory }, []);
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  /** Each has room for one chunk. */
  get servingSlots(): readonly Slot[] {
    return this.#servingSlots;
  }

  /** Returns the SHA-256 of each piece, and '' for a piece that cannot be unpacked. */
  digests({ number }: Slot, pieces: readonly Piece[]): Promise<readonly string[]> {
    return this.#order((id) => ({ kind: 'hash', id, slot: number, pieces }));
  }

  /**
   * Writes pieces that have the wanted digests, and none when one is wrong. Returns their digests like `digests`. Rejects with what the
   * disk says when it refuses.
   */
  write({ number }: Slot, order: Omit<WriteOrder, 'modes'>): Promise<readonly string[]> {
    return this.#order((id) => ({ kind: 'write', id, slot: number, ...order, modes: ZERO_MODES }));
  }

  /** Packs the first bytes of the slot's disk memory, and returns their SHA-256 and the number of packed bytes. */
  async pack(
    { number }: Slot,
    length: number,
  ): Promise<{ readonly sha256: string; readonly packedBytes: number }> {
    const [sha256 = '', packed] = await this.#order((id) => ({ kind: 'pack', id, slot: number, length }));
    return { sha256, packedBytes: Number(packed) };
  }

  /** Makes a range of a disk read as zeros. Returns false when the device cannot do that by itself. */
  async zero(range: Omit<ZeroOrder, 'modes'>): Promise<boolean> {
    const [result] = await this.#order((id) => ({ kind: 'zero', id, ...range, modes: ZERO_MODES }));
    return result !== '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #order(orderOf: (id: number) => ChunkOrder): Promise<readonly string[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const [thread] = this.#threads.toSorted((one, other) => one.waiting.size - other.waiting.size);
    return new Promise((resolve, reject) => {
      const order = orderOf((this.#orders += 1));
      thread?.waiting.set(order.id, { resolve, reject });
      thread?.worker.postMessage(order, []);
    });
  }

  #start(program: string): Thread {
    const worker = new Worker(program, { eval: true, resourceLimits: LIMITS });
    const waiting = new Map<number, Waiting>();
    worker.on('message', ({ id, results, refused }: ChunkReport) => {
      if (refused === undefined) waiting.get(id)?.resolve(results);
      else waiting.get(id)?.reject(new Error(refused));
      waiting.delete(id);
    });
    const fail = (reason: string): void => {
      this.#failure ??= new ActionError(`a thread that unpacks chunks ended: ${reason}`);
      for (const one of waiting.values()) one.reject(this.#failure);
      waiting.clear();
    };
    worker.once('error', (error) => fail(messageOf(error)));
    worker.once('exit', (code) => fail(`exit code ${code}`));
    return { worker, waiting };
  }
}

function slotOf(number: number, room: { readonly diskBytes: number; readonly packedBytes: number }): Slot {
  return {
    number,
    disk: sharedAlignedBuffer(room.diskBytes),
    packed: sharedAlignedBuffer(room.packedBytes),
  };
}
