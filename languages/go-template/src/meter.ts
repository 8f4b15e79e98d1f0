import { byteLength } from './go-string.ts';
import type { ExecuteLimits } from './limits.ts';

/** Thrown when a limit is exceeded. execute() converts it to an error of code `limit`. */
export class LimitExceeded extends Error {}

/** Counts what one execution uses, and stops it at its limits. */
export class Meter {
  readonly limits: ExecuteLimits;
  readonly #parts: string[] = [];
  #steps = 0;
  /** The size of the first parts of the output. */
  #countedBytes = 0;
  #countedParts = 0;
  /** The UTF-16 units of the others. A unit has at most three bytes, and most outputs are far from the limit. */
  #uncountedUnits = 0;
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
    this.#parts.push(text);
    this.#uncountedUnits += text.length;
    if (this.#countedBytes + this.#uncountedUnits * 3 > this.limits.outputBytes) this.#countOutput();
  }

  #countOutput(): void {
    for (; this.#countedParts < this.#parts.length; this.#countedParts += 1)
      this.#countedBytes += byteLength(this.#parts[this.#countedParts] ?? '');
    this.#uncountedUnits = 0;
    if (this.#countedBytes > this.limits.outputBytes) {
      throw new LimitExceeded(`rendered template exceeds ${this.limits.outputBytes} bytes`);
    }
  }

  /** Begins one more level of evaluation. Its end is not reported when it throws, because that ends the execution. */
  enter(): void {
    if (this.#depth >= this.limits.evaluationDepth) {
      throw new LimitExceeded(`template is nested deeper than ${this.limits.evaluationDepth} levels`);
    }
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }
}
