/** JSON values that are large enough to be read or written in pieces, because each value is beside long strings. */
import fc, { type Arbitrary } from 'fast-check';

export function bulkyValues(...others: readonly Arbitrary<unknown>[]): Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      ...others,
      fc.string({ unit: 'binary', maxLength: 10 }).map((unit) => unit.repeat(9000)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
}

/** Does all of the work. `pieces` is how often it has paused. */
export function counted<Result>(work: Generator<undefined, Result>): {
  readonly result: Result;
  readonly pieces: number;
} {
  for (let pieces = 0; ; pieces++) {
    const next = work.next();
    if (next.done === true) return { result: next.value, pieces };
  }
}
