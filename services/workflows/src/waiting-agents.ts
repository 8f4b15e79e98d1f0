/**
 * Agents that hold a GetAction until there may be something for them. They are woken by name. A wake-up is a hint, not a promise.
 */
export class WaitingAgents {
  readonly #wakes = new Map<string, Set<() => void>>();

  /** Calls `onWake` once, at the next wake of `agentId`. Returns the function that ends the wait before that. */
  enter(agentId: string, onWake: () => void): () => void {
    const wakes = this.#wakes.get(agentId) ?? new Set();
    this.#wakes.set(agentId, wakes);
    const leave = (): void => {
      if (wakes.delete(wake) && wakes.size === 0) this.#wakes.delete(agentId);
    };
    const wake = (): void => {
      leave();
      onWake();
    };
    wakes.add(wake);
    return leave;
  }

  wake(agentId: string): void {
    for (const wake of this.#wakes.get(agentId) ?? []) wake();
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
