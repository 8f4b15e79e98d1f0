/** A value, or a promise of one for which something must be waited. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Continues with a value: at once if it is there, so that a short answer costs no promise. */
export function whenReady<Value, Next>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
