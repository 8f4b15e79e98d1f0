import type { Place } from './rooted-tree.ts';

/** Places that one layer has written, and the directories above them. */
export class TouchedPlaces {
  readonly #names = new Set<string>();

  add(place: Place): void {
    for (let length = place.length; length >= 0; length -= 1) {
      const name = place.slice(0, length).join('/');
      if (this.#names.has(name)) return;
      this.#names.add(name);
    }
  }

  has(place: Place): boolean {
    return this.#names.has(place.join('/'));
  }
}
