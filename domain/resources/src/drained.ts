/** Does all of the work without its pauses. */
export function drained<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}
