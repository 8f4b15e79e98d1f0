import type { Problem } from './problem.ts';

/**
 * The maximum number of reported problems of one object. Users with more fix these first, and no answer grows with the size of
 * the request.
 */
export const PROBLEMS_KEPT_MAX = 100;

/** Returns the first hundred problems, and the number of further ones. */
export class ProblemList {
  readonly #kept: Problem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `make` is called only for a problem that is kept. */
  add(make: () => Problem): void {
    if (this.#count < PROBLEMS_KEPT_MAX) this.#kept.push(make());
    this.#count += 1;
  }

  addAll(problems: readonly Problem[]): void {
    for (const problem of problems) this.add(() => problem);
  }

  /** Adds a last problem with the number of omitted ones, if there are any. */
  all(): readonly Problem[] {
    const left = this.#count - this.#kept.length;
    if (left === 0) return this.#kept;
    const message = `and ${left} more problems`;
    return [...this.#kept, { reason: 'invalid', path: [], message }];
  }
}
