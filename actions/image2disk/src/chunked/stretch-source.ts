/** Which stretch a lane of the action writes next. */
import {
  positionsOf,
  stretchesOf,
  type DiskImage,
  type KnownPeer,
  type SharedWalk,
  type Step,
  type Stretch,
} from '@tinkerbell/images';
import { delay, type Clock } from '@tinkerbell/platform-contract';
import type { Sharing } from '../peers/sharing.ts';

/** Between two looks for what peers have by now. */
const LOOK_MS = 50;

export interface Assignment {
  readonly stretch: Stretch;
  /** Who has it. Absent: the server. */
  readonly from?: Source;
  /** The disk has it. */
  done(): void;
}

/** One of the calls says how it ended. */
export interface Source {
  readonly peer: KnownPeer;
  /** The number of the first chunk of the stretch. */
  readonly first: number;
  delivered(): void;
  /** It was not asked, because the disk had the stretch. */
  unused(): void;
  /** It has no time. Another lane, or this one, gets the stretch later. */
  busy(): void;
  /** Wrong, slow or silent. */
  wrong(): void;
}

export interface StretchSource {
  /** Undefined at the end. */
  next(lane: number): Promise<Assignment | undefined>;
}

/** In the order of the disk. */
export function inOrder(image: DiskImage): StretchSource {
  const stretches = stretchesOf(positionsOf(image), image);
  return {
    next() {
      const next = stretches.next();
      return Promise.resolve(next.done === true ? undefined : { stretch: next.value, done() {} });
    },
  };
}

/** From the agent's own place on, and what peers have. */
export function shared(
  { walk, table }: Pick<Sharing, 'walk' | 'table'>,
  { lanes, clock, signal }: { readonly lanes: number; readonly clock: Clock; readonly signal: AbortSignal },
): StretchSource {
  return {
    async next(number) {
      const lane = { number, of: lanes };
      let step = walk.next(lane, clock.monotonicMs());
      while (step.kind === 'wait' && !signal.aborted) {
        await delay(clock, LOOK_MS, signal);
        step = walk.next(lane, clock.monotonicMs());
      }
      if (!('index' in step)) return undefined;
      const { index } = step;
      const stretch = table.stretchAt(index);
      if (stretch === undefined) return undefined;
      const done = (): void => walk.done(index);
      if (step.kind === 'server') return { stretch, done };
      return { stretch, done, from: { ...sourceOf(walk, step, clock), first: table.starts[index] ?? 0 } };
    },
  };
}

function sourceOf(
  walk: SharedWalk,
  { peer, index }: Step & { readonly kind: 'peer' },
  clock: Clock,
): Omit<Source, 'first'> {
  return {
    peer,
    delivered: () => walk.delivered(peer, clock.monotonicMs()),
    unused: () => peer.released(),
    busy() {
      walk.busy(peer, clock.monotonicMs());
      walk.reopen(index);
    },
    wrong: () => walk.drop(peer),
  };
}
