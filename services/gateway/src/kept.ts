/** Things with a lifetime that outlive a new route file where their settings are the same. */
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

  /** The values asked for since the last time are those that stay. */
  commit(): void {
    for (const [key, value] of this.#current) if (!this.#next.has(key)) this.#close(value);
    this.#current = this.#next;
    this.#next = new Map();
  }

  /** The values asked for since the last time are not wanted after all. */
  discard(): void {
    for (const [key, value] of this.#next) if (!this.#current.has(key)) this.#close(value);
    this.#next = new Map();
  }
}
