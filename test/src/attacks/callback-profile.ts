/** Finds what ran in long callbacks, from samples of the stack. It slows the server down, so a run with it does not count. */
import { Session, type Profiler } from 'node:inspector';
import type { Stretch } from './busy-times.ts';

const INTERVAL_MICROSECONDS = 250;
/** The innermost functions that a line shows. */
const FRAMES_MAX = 10;
const STACKS_MAX = 4;
/** Long callbacks become known later than their samples are read. */
const KEPT_MS = 3000;

export class CallbackProfile {
  readonly #session = new Session();
  /** `performance.now()` at the origin of the profile's clock, which is the monotonic clock of the kernel. */
  readonly #originMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

  #samples: readonly { readonly atMs: number; readonly stack: string }[] = [];

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
    this.#session.post('Profiler.start');
  }

  /** Reads the samples since the last call. It takes long. */
  read(): void {
    let profile: Profiler.Profile | undefined;
    this.#session.post('Profiler.stop', (_error, result) => (profile = result?.profile));
    this.#session.post('Profiler.start');
    const { nodes = [], samples = [], timeDeltas = [], startTime = 0 } = profile ?? {};
    const names = stackNames(nodes);
    let atMs = startTime / 1000 - this.#originMs;
    const read = samples.map((id, index) => {
      atMs += (timeDeltas[index] ?? 0) / 1000;
      return { atMs, stack: names.get(id) ?? '' };
    });
    this.#samples = [...this.#samples.filter((sample) => sample.atMs > atMs - KEPT_MS), ...read];
  }

  /** Returns the stacks of a stretch of the last seconds, the most frequent first. */
  stacksIn({ fromMs, toMs }: Stretch): readonly string[] {
    const counts = new Map<string, number>();
    for (const { atMs, stack } of this.#samples)
      if (atMs >= fromMs && atMs <= toMs) counts.set(stack, (counts.get(stack) ?? 0) + 1);
    const most = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, STACKS_MAX);
    return most.map(([stack, count]) => `${((count * INTERVAL_MICROSECONDS) / 1000).toFixed(1)} ms ${stack}`);
  }
}

/** Returns the functions of each node, the innermost first. */
function stackNames(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, string> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const functions = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName || '?']));
  return new Map(
    nodes.map(({ id }) => {
      const stack: string[] = [];
      for (
        let at: number | undefined = id;
        at !== undefined && stack.length < FRAMES_MAX;
        at = parents.get(at)
      )
        stack.push(functions.get(at) ?? '?');
      return [id, stack.join(' < ')];
    }),
  );
}
