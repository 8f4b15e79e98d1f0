/**
 * Limits the cost of rules while they run. One unit is the evaluation of one node of an expression, 50 to 100
 * ns.
 */

/**
 * The limit for one expression, which cannot pause: 2 to 4 ms. Kubernetes allows far more and
 * evaluates in threads. Gateway API's rules, which compare each of 64 listeners with each, need most of it.
 */
const EXPRESSION_COST_MAX = 40_000;
/** The limit for one object, with pauses between its expressions. It is a tenth of what Kubernetes allows. */
const OBJECT_COST_MAX = 1_000_000;
/** After this cost, other tasks get a turn. */
const PAUSE_COST = 10_000;

/** The error for an expression that costs too much. It is created once, because a rule may cause it thousands of times. */
export const overBudget = new Error('it costs more than is allowed; make it simpler, or the object smaller');

export class CelBudget {
  #left = OBJECT_COST_MAX;
  #expressionLeft = 0;
  #pauseAt = OBJECT_COST_MAX - PAUSE_COST;

  /** Charges cost to the running expression. Throws `overBudget`. */
  take(cost: number): void {
    this.#expressionLeft -= cost;
    if (this.#expressionLeft < 0) throw overBudget;
  }

  /**
   * Runs one expression. Once it is over its budget every further node throws too, so that `a || b` does not continue with `b`.
   */
  run<Result>(evaluate: () => Result): Result {
    const allowed = Math.min(EXPRESSION_COST_MAX, this.#left);
    this.#expressionLeft = allowed;
    try {
      return evaluate();
    } finally {
      this.#left -= allowed - Math.max(0, this.#expressionLeft);
    }
  }

  /** Returns true once for each stretch of cost. The caller then yields. */
  isPause(): boolean {
    if (this.#left > this.#pauseAt) return false;
    this.#pauseAt = this.#left - PAUSE_COST;
    return true;
  }
}
