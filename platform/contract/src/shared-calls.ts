import { TurnPlaces } from './turn-places.ts';

/** Runs one call for all who ask for the same thing meanwhile. Those that joined continue over several turns of the event loop. */
export class SharedCalls<Value> {
  readonly #running = new Map<string, Promise<Value>>();
  readonly #places = new TurnPlaces();

  /** Settles like the running call of that key, or else starts `call`. */
  join(key: string, call: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(key);
    if (running !== undefined) return this.#places.after(running);
    const begun = call().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }

  /** The calls that have not settled. */
  running(): Iterable<Promise<Value>> {
    return this.#running.values();
  }
}
