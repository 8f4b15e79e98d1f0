import type { Clock, Random } from '@tinkerbell/platform-contract';
import { uidOf } from '@tinkerbell/resources';
import type { ServerValues } from './prepare-object.ts';

/** Generated lazily, because a change of an object needs no random values. */
export function serverValues({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: Random;
}): ServerValues {
  return {
    now: new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z'),
    get uid() {
      return uidOf(random.bytes(16));
    },
    get suffix() {
      return Array.from(random.bytes(5), (byte) => 'bcdfghjklmnpqrstvwxz2456789'[byte % 27]).join('');
    },
  };
}
