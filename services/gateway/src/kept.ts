/** Objects with a lifetime that survive a new route file if their settings are unchanged. */
export class Kept<Value> {
  #current = new Map<string, Value>();
  #next = new Map<string, Value>();
  readonly #close: (value: Value) => void;

  constructor(close: (value: Value) => void = () => undefined) {
    this.#close = close;
  }

  async get(key: string, create: () => Value | Promise<Value>): Promise<Value> {
    const known = this.#next.get(key) ?? this.#current.get(key);
    const value = known ?? (await create());
    this.#next.set(key, value);
    return value;
  }

  /** Keeps the values requested since the last call, and drops the others. */
  commit(): void {
    for (const [key, value] of this.#current) if (!this.#next.has(key)) this.#close(value);
    this.#current = this.#next;
    this.#next = new Map();
  }

  /** Drops the values created since the last call. */
  discard(): void {
    for (const [key, value] of this.#next) if (!this.#current.has(key)) this.#close(value);
    this.#next = new Map();
  }
}
