/** A request to an upstream takes 0.1 to 0.6 ms. With fewer in a turn, a tenth of the processor time goes to turns of the event loop. */
const USUAL = 8;
const BESIDE_PROVEN = 1;
const REMEMBERED_MS = 1000;

/**
 * How many requests begin in one turn of the event loop. While others call with a verified token, those who have not proven who they are
 * begin one at a time, because each delays these calls.
 */
export class BegunAtOnce {
  #provenMs = Number.NEGATIVE_INFINITY;

  /** A call with a verified token came at this time. */
  proven(nowMs: number): void {
    this.#provenMs = nowMs;
  }

  count(nowMs: number): number {
    return nowMs - this.#provenMs < REMEMBERED_MS ? BESIDE_PROVEN : USUAL;
  }
}
