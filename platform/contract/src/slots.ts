/** So many at once of what costs memory while it is open: streams that clients keep as long as they like. */
export class Slots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The function that gives the slot back, which may be called twice; undefined when all are taken. */
  take(): (() => void) | undefined {
    if (this.#taken >= this.#max) return undefined;
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken -= 1;
      isTaken = false;
    };
  }

  taken(): number {
    return this.#taken;
  }
}
