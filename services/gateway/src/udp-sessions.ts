/** Which client has which socket towards the upstream: bounded, and forgotten when idle. */

interface Session<Value> {
  readonly value: Value;
  usedMs: number;
}

export class UdpSessions<Value> {
  readonly #sessions = new Map<string, Session<Value>>();
  readonly #max: number;
  readonly #idleMs: number;

  constructor({ max, idleMs }: { readonly max: number; readonly idleMs: number }) {
    this.#max = max;
    this.#idleMs = idleMs;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Undefined for a client that is new. */
  use(client: string, nowMs: number): Value | undefined {
    const session = this.#sessions.get(client);
    if (session === undefined) return undefined;
    session.usedMs = nowMs;
    return session.value;
  }

  /** False when there are too many: those that are there go on, and whoever comes is not served. */
  add(client: string, value: Value, nowMs: number): boolean {
    if (this.#sessions.size >= this.#max) return false;
    this.#sessions.set(client, { value, usedMs: nowMs });
    return true;
  }

  /** Takes away those that were idle for long, and returns them. */
  expired(nowMs: number): readonly Value[] {
    const gone = [...this.#sessions].filter(([, { usedMs }]) => nowMs - usedMs >= this.#idleMs);
    for (const [client] of gone) this.#sessions.delete(client);
    return gone.map(([, { value }]) => value);
  }

  clear(): readonly Value[] {
    const all = [...this.#sessions.values()].map(({ value }) => value);
    this.#sessions.clear();
    return all;
  }
}
