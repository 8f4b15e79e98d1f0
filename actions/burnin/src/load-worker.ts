/**
 * What a thread does. The texts of these functions become the thread's program, because the agent is bundled into one
 * file. Therefore they must not use anything outside of themselves, except what every thread has.
 */
import type * as Threads from 'node:worker_threads';

export interface WorkerOrder {
  readonly memoryBytes: number;
  /** Not zero when the thread must end. */
  readonly stop: Int32Array;
  /** A wrong bit that the thread adds to what it reads, so that a test sees it found. */
  readonly fault?: 'cpu' | 'memory';
}

export type WorkerMessage =
  | { readonly kind: 'memory'; readonly bytes: number }
  | { readonly kind: 'failure'; readonly error: string };

/** Integer and floating-point work with known results. Returns the wrong one. */
export function cpuProblem(fault: WorkerOrder['fault']): string | undefined {
  const known = { integer: 1_719_427_203, real: 0.3984105445015468, primes: 17_984 };
  let integer = 1;
  for (let step = 0; step < 1_000_000; step += 1) {
    integer ^= integer << 13;
    integer ^= integer >>> 17;
    integer ^= integer << 5;
    integer >>>= 0;
  }
  if (fault === 'cpu') integer ^= 4;
  if (integer !== known.integer) return `integer operations gave ${integer} instead of ${known.integer}`;
  let real = 0.123;
  for (let step = 0; step < 1_000_000; step += 1) real = 3.9 * real * (1 - real);
  if (real !== known.real) return `floating-point operations gave ${real} instead of ${known.real}`;
  const sieve = new Uint8Array(200_000);
  let primes = 0;
  for (let number = 2; number < sieve.length; number += 1) {
    if (sieve[number] !== 0) continue;
    primes += 1;
    for (let multiple = number * 2; multiple < sieve.length; multiple += number) sieve[multiple] = 1;
  }
  return primes === known.primes ? undefined : `a sieve found ${primes} primes instead of ${known.primes}`;
}

/** Writes all blocks, then reads all. The round chooses the pattern. Returns the first wrong word. */
export function memoryProblem(
  blocks: readonly Uint32Array[],
  round: number,
  fault: WorkerOrder['fault'],
): string | undefined {
  /** Alternating and stuck bits, single bits, and each address as its own value. */
  const patterns: readonly ((index: number) => number)[] = [
    () => 0,
    () => 0xffffffff,
    () => 0x55555555,
    () => 0xaaaaaaaa,
    (index) => Math.imul(index, 0x9e3779b1) >>> 0,
    (index) => ~Math.imul(index, 0x9e3779b1) >>> 0,
    (index) => (1 << (index & 31)) >>> 0,
  ];
  const pattern = patterns[round % patterns.length];
  if (pattern === undefined) return undefined;
  for (const block of blocks)
    for (let index = 0; index < block.length; index += 1) block[index] = pattern(index);
  const [first] = blocks;
  if (fault === 'memory' && first !== undefined) first[100] = (first[100] ?? 0) ^ 0x10;
  for (const [number, block] of blocks.entries())
    for (let index = 0; index < block.length; index += 1)
      if (block[index] !== pattern(index)) {
        const wrong = ((block[index] ?? 0) ^ pattern(index)) >>> 0;
        return `memory returned other bits than were written: mask 0x${wrong.toString(16)} in word ${index} of block ${number}`;
      }
  return undefined;
}

interface Checks {
  readonly cpuProblem: typeof cpuProblem;
  readonly memoryProblem: typeof memoryProblem;
}

/** Runs at least one round. */
export function loadWorker(threads: typeof Threads, checks: Checks): void {
  const order: WorkerOrder = threads.workerData;
  const send = (message: WorkerMessage): void => threads.parentPort?.postMessage(message);
  const blockBytes = 64 * 1024 * 1024;
  const blocks: Uint32Array[] = [];
  for (let left = order.memoryBytes; left >= 4096; left -= blockBytes)
    blocks.push(new Uint32Array(Math.floor(Math.min(left, blockBytes) / 4)));
  for (let round = 0; round === 0 || Atomics.load(order.stop, 0) === 0; round += 1) {
    const problem = checks.cpuProblem(order.fault) ?? checks.memoryProblem(blocks, round, order.fault);
    if (problem !== undefined) return send({ kind: 'failure', error: problem });
    send({ kind: 'memory', bytes: order.memoryBytes });
  }
}

/** The program of a thread. */
export const LOAD_PROGRAM = `(${loadWorker.toString()})(require('node:worker_threads'), {
  cpuProblem: ${cpuProblem.toString()},
  memoryProblem: ${memoryProblem.toString()},
});`;
