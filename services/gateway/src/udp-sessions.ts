/** Maps clients to their sockets towards the upstream. The number is bounded, and idle sessions are removed. */

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

  /** Returns undefined for a new client. */
  use(client: string, nowMs: number): Value | undefined {
    const session = this.#sessions.get(client);
    if (session === undefined) return undefined;
    session.usedMs = nowMs;
    return session.value;
  }

  /** Returns false when there are too many: existing sessions continue, and new clients are not served. */
  add(client: string, value: Value, nowMs: number): boolean {
    if (this.#sessions.size >= this.#max) return false;
    this.#sessions.set(client, { value, usedMs: nowMs });
    return true;
  }

  /** Removes and returns the sessions that were idle for too long. */
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
