/**
 * Records refusals in the timeline of the machine that a caller tried to act for: once a minute for each reason, so that no
 * caller can fill it.
 */
import type { AgentRefusal } from '@tinkerbell/agent-identity';
import type { Clock } from '@tinkerbell/platform-contract';
import { primaryMacOf } from '@tinkerbell/resources';
import type { Journal, View } from '@tinkerbell/store-contract';
import { parseMac } from '@tinkerbell/wire';

const INTERVAL_MS = 60_000;
/** Machines times reasons. Beyond this number nothing new is recorded until old entries have expired. */
const KEYS_MAX = 20_000;

interface TimelineDeps {
  readonly journal: Pick<Journal, 'append'>;
  readonly view: View;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export class RefusalTimeline {
  readonly #deps: TimelineDeps;
  /** The entries are in order of time. */
  readonly #writtenMs = new Map<string, number>();

  constructor(deps: TimelineDeps) {
    this.#deps = deps;
  }

  /** Nothing is recorded for an agent that belongs to no machine, because such names can be made up. */
  record({ reason, message }: AgentRefusal, agentId: string): void {
    const machine = this.#machineOf(agentId);
    if (machine === undefined || !this.#isDue(`${machine} ${reason}`)) return;
    this.#deps.journal.append({
      source: 'agent',
      event: 'agent-refused',
      machine,
      message: `a call for this machine was refused: ${message}`,
      details: { agent: agentId, reason },
    });
  }

  #machineOf(agentId: string): string | undefined {
    const { view } = this.#deps;
    const mac = parseMac(agentId);
    const [byMac] = mac === undefined ? [] : view.hardwareByMac(mac);
    return primaryMacOf(byMac ?? view.hardwareByAgent(agentId)[0]);
  }

  #isDue(key: string): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - (this.#writtenMs.get(key) ?? -INTERVAL_MS) < INTERVAL_MS) return false;
    for (const [oldest, atMs] of this.#writtenMs) {
      if (nowMs - atMs < INTERVAL_MS) break;
      this.#writtenMs.delete(oldest);
    }
    if (this.#writtenMs.size >= KEYS_MAX) return false;
    this.#writtenMs.delete(key);
    this.#writtenMs.set(key, nowMs);
    return true;
  }
}
