/** Which stretch a lane of the action writes next. */
import {
  followsInPack,
  packedPart,
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
  /**
   * None at the end. Several, which follow each other in their pack, come from the server by one request, and are together not larger
   * than `requestBytes`.
   */
  next(lane: number, requestBytes: number): Promise<readonly Assignment[]>;
}

/** In the order of the disk. */
export function inOrder(image: DiskImage): StretchSource {
  const stretches = stretchesOf(positionsOf(image), image);
  let following = stretches.next();
  return {
    async next(_lane, requestBytes) {
      const taken: Stretch[] = [];
      while (following.done !== true && fits(taken, following.value, requestBytes)) {
        taken.push(following.value);
        following = stretches.next();
      }
      return taken.map((stretch) => ({ stretch, done() {} }));
    },
  };
}

/** From the agent's own place on, and what peers have. */
export function shared(
  { walk, table }: Pick<Sharing, 'walk' | 'table'>,
  { lanes, clock, signal }: { readonly lanes: number; readonly clock: Clock; readonly signal: AbortSignal },
): StretchSource {
  return {
    async next(number, requestBytes) {
      const lane = { number, of: lanes };
      let step = walk.next(lane, clock.monotonicMs());
      while (step.kind === 'wait' && !signal.aborted) {
        await delay(clock, LOOK_MS, signal);
        step = walk.next(lane, clock.monotonicMs());
      }
      if (!('index' in step)) return [];
      const { index } = step;
      const stretch = table.stretchAt(index);
      if (stretch === undefined) return [];
      const done = (): void => walk.done(index);
      if (step.kind === 'peer')
        return [{ stretch, done, from: { ...sourceOf(walk, step, clock), first: table.starts[index] ?? 0 } }];
      const taken = [stretch];
      for (;;) {
        const after = index + taken.length;
        const next = table.stretchAt(after);
        if (next === undefined || !fits(taken, next, requestBytes) || !walk.takeAlso(after)) break;
        taken.push(next);
      }
      return taken.map((one, at) => ({ stretch: one, done: () => walk.done(index + at) }));
    },
  };
}

/** The first one always fits. */
function fits(taken: readonly Stretch[], next: Stretch, requestBytes: number): boolean {
  const [first] = taken;
  const last = taken.at(-1);
  if (first === undefined || last === undefined) return true;
  return followsInPack(last, next) && packedPart([...first, ...next]).length <= requestBytes;
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
