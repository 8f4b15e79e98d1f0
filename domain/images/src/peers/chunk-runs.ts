/**
 * Which chunks an agent has. Chunks are counted among those with data, in the order of the disk, so that a hole does not end a
 * run.
 */
import { listAt, OciError, sizeAt } from '@tinkerbell/oci';

/** `[first, count]` */
export type ChunkRun = readonly [first: number, count: number];

/** An agent that walks has few. What does not fit is not offered. */
export const RUNS_MAX = 128;
/** 4 TiB in chunks of 1 MiB. Larger images are not shared. */
export const SHARED_CHUNKS_MAX = 2 ** 22;

/** Throws an `OciError` that names the field. */
export function readRuns(value: unknown, field: string): readonly ChunkRun[] {
  let end = 0;
  return listAt(value, field, RUNS_MAX).map((item, index): ChunkRun => {
    const name = `${field}[${index}]`;
    const pair = listAt(item, name, 2);
    if (pair.length !== 2) throw new OciError(name, 'must be a list of the first chunk and a count');
    const [first, count] = [sizeAt(pair[0], `${name}[0]`), sizeAt(pair[1], `${name}[1]`)];
    if (first < end) throw new OciError(`${name}[0]`, `is ${first}, and the run before it ends at ${end}`);
    if (count < 1) throw new OciError(`${name}[1]`, 'must be at least 1');
    if (first + count > SHARED_CHUNKS_MAX)
      throw new OciError(name, `ends at ${first + count}; at most ${SHARED_CHUNKS_MAX} chunks are shared`);
    end = first + count;
    return [first, count];
  });
}

/** Keeps the longest runs, in the order of the disk. */
export function longestRuns(runs: readonly ChunkRun[]): readonly ChunkRun[] {
  if (runs.length <= RUNS_MAX) return runs;
  const longest = runs.toSorted(([, one], [, other]) => other - one).slice(0, RUNS_MAX);
  return longest.sort(([one], [other]) => one - other);
}
