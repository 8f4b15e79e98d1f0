import { byteLength } from './go-string.ts';
import type { ExecuteLimits } from './limits.ts';

/** Thrown when a limit is exceeded. execute() converts it to an error of code `limit`. */
export class LimitExceeded extends Error {}

/** Counts what one execution uses, and stops it at its limits. */
export class Meter {
  readonly limits: ExecuteLimits;
  readonly #parts: string[] = [];
  #steps = 0;
  #outputBytes = 0;
  #valueSize = 0;
  #depth = 0;

  constructor(limits: ExecuteLimits) {
    this.limits = limits;
  }

  get output(): string {
    return this.#parts.join('');
  }

  step(): void {
    this.#steps += 1;
    if (this.#steps > this.limits.steps)
      throw new LimitExceeded(`template takes more than ${this.limits.steps} steps`);
  }

  spend(size: number): void {
    this.#valueSize += size;
    if (!(this.#valueSize <= this.limits.valueSize)) {
      throw new LimitExceeded(`template makes values larger than ${this.limits.valueSize} characters in all`);
    }
  }

  write(text: string): void {
    this.#outputBytes += byteLength(text);
    if (this.#outputBytes > this.limits.outputBytes) {
      throw new LimitExceeded(`rendered template exceeds ${this.limits.outputBytes} bytes`);
    }
    this.#parts.push(text);
  }

  /**
   * Runs one more level of evaluation. The level is not restored when it throws, because that ends the
   * execution.
   */
  nested<T>(evaluate: () => T): T {
    if (this.#depth >= this.limits.evaluationDepth) {
      throw new LimitExceeded(`template is nested deeper than ${this.limits.evaluationDepth} levels`);
    }
    this.#depth += 1;
    const result = evaluate();
    this.#depth -= 1;
    return result;
  }
}
