import { setLatest } from '@tinkerbell/platform-contract';

/** An agent's last attempt is forgotten when so many others have got one since. */
const AGENTS_KEPT = 20_000;

/** The attempt that each agent was given last, so that a repeated request for it is not recorded again. */
export class LastAttempts {
  readonly #byAgent = new Map<string, string>();

  isLast(agentId: string, attempt: string): boolean {
    return this.#byAgent.get(agentId) === attempt;
  }

  given(agentId: string, attempt: string): void {
    setLatest(this.#byAgent, [agentId, attempt], AGENTS_KEPT);
  }
}
