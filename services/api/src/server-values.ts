import type { Clock, Random } from '@tinkerbell/platform-contract';
import { uidOf } from '@tinkerbell/resources';
import type { ServerValues } from './prepare-object.ts';

interface Sources {
  readonly clock: Clock;
  readonly random: Random;
}

/** Generated lazily, because most changes of objects need none of them. */
export function serverValues(sources: Sources): ServerValues {
  return new LazyValues(sources);
}

class LazyValues implements ServerValues {
  readonly #sources: Sources;
  #now: string | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The same time whenever it is read. */
  get now(): string {
    this.#now ??= new Date(this.#sources.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    return this.#now;
  }

  get uid(): string {
    return uidOf(this.#sources.random.bytes(16));
  }

  get suffix(): string {
    const bytes = this.#sources.random.bytes(5);
    return Array.from(bytes, (byte) => 'bcdfghjklmnpqrstvwxz2456789'[byte % 27]).join('');
  }
}
