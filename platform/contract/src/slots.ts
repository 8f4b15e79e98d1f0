/** Limits how many memory-consuming things are open at once, such as streams that clients keep open as long as they like. */
export class Slots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the function that releases the slot, which is safe to call twice. Returns undefined when all slots are taken. */
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
