import type { Clock, Random } from '@tinkerbell/platform-contract';
import { uidOf } from '@tinkerbell/resources';
import type { ServerValues } from './prepare-object.ts';

/** Generated lazily, because most changes of objects need none of them. */
export function serverValues({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: Random;
}): ServerValues {
  let now: string | undefined;
  return {
    get now() {
      now ??= new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
      return now;
    },
    get uid() {
      return uidOf(random.bytes(16));
    },
    get suffix() {
      return Array.from(random.bytes(5), (byte) => 'bcdfghjklmnpqrstvwxz2456789'[byte % 27]).join('');
    },
  };
}
