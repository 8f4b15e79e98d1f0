/**
 * Agents that hold a GetAction until there may be something for them. They are woken by name. A wake-up is a hint, not a promise.
 */
export class WaitingAgents {
  readonly #wakes = new Map<string, Set<() => void>>();

  /** Resolves at the next wake of `agentId`, or when `signal` aborts. */
  wait(agentId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wakes = this.#wakes.get(agentId) ?? new Set();
      this.#wakes.set(agentId, wakes);
      const done = (): void => {
        wakes.delete(done);
        if (wakes.size === 0) this.#wakes.delete(agentId);
        signal.removeEventListener('abort', done);
        resolve();
      };
      wakes.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  wake(agentId: string): void {
    for (const done of this.#wakes.get(agentId) ?? []) done();
  }

  wakeAll(): void {
    for (const agentId of this.#wakes.keys()) this.wake(agentId);
  }

  count(): number {
    let count = 0;
    for (const wakes of this.#wakes.values()) count += wakes.size;
    return count;
  }
}
