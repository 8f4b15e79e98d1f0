/** Unpacks and hashes chunks beside each other and beside the network, in memory whose size is fixed. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ActionError, sharedAlignedBuffer } from '@tinkerbell/action-kit';
import { stretchRoom } from '@tinkerbell/images';
import { messageOf } from '@tinkerbell/platform-contract';
import { chunkProgram, type ChunkOrder, type ChunkReport, type Piece } from './chunk-worker.ts';

/** Each costs memory, and four of them are faster than most disks. */
const THREADS_MAX = 4;
/** A thread keeps almost nothing. Small limits make it return memory early. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/** Memory for one stretch. */
export interface Slot {
  readonly number: number;
  /** Page-aligned. */
  readonly disk: Buffer<SharedArrayBuffer>;
  readonly packed: Buffer<SharedArrayBuffer>;
}

interface Waiting {
  resolve(digests: readonly string[]): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

export class ChunkThreads {
  readonly slots: readonly Slot[];
  readonly #threads: readonly Thread[];
  #orders = 0;
  #failure: Error | undefined;

  constructor(
    image: { readonly chunkBytes: number },
    { slots, withFfi = true }: { readonly slots: number; readonly withFfi?: boolean },
  ) {
    const room = stretchRoom(image);
    this.slots = Array.from({ length: slots }, (_, number) => ({
      number,
      disk: sharedAlignedBuffer(room.diskBytes),
      packed: sharedAlignedBuffer(room.packedBytes),
    }));
    const threads = Math.min(availableParallelism(), THREADS_MAX);
    this.#threads = Array.from({ length: threads }, () => this.#start(chunkProgram({ withFfi })));
  }

  /** Returns the SHA-256 of each piece, and '' for a piece that cannot be unpacked. */
  digests({ number }: Slot, pieces: readonly Piece[]): Promise<readonly string[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const [thread] = this.#threads.toSorted((one, other) => one.waiting.size - other.waiting.size);
    return new Promise((resolve, reject) => {
      const order: ChunkOrder = { id: (this.#orders += 1), slot: number, pieces };
      thread?.waiting.set(order.id, { resolve, reject });
      thread?.worker.postMessage(order, []);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(program: string): Thread {
    const workerData = this.slots.map(({ disk, packed }) => ({ disk, packed }));
    const worker = new Worker(program, { eval: true, workerData, resourceLimits: LIMITS });
    const waiting = new Map<number, Waiting>();
    worker.on('message', ({ id, digests }: ChunkReport) => {
      waiting.get(id)?.resolve(digests);
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
