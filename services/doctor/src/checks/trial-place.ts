/** Hosts other than the server that try something for a machine. */
import type {
  AgentTrials,
  NetworkTrial,
  NetworkTrialResult,
  RelayTrials,
} from '@tinkerbell/platform-contract';
import type { View } from '@tinkerbell/store-contract';
import { connectedAgentOf, type CheckedFrom } from './neighbours.ts';

export interface TrialPlace {
  /** Differs between places, and is not empty. */
  readonly key: string;
  /** As the rows name it. */
  readonly who: string;
  /** What does not answer, as a subject. */
  readonly subject: string;
  readonly asksDhcp: boolean;
  /** Resolves with undefined without an answer. Never rejects. */
  run(trial: NetworkTrial): Promise<NetworkTrialResult | undefined>;
}

interface Deps {
  readonly view: View;
  readonly agents?: AgentTrials;
  readonly relays: RelayTrials;
}

export function trialPlace(deps: Deps, from: CheckedFrom): TrialPlace {
  if ('relay' in from) {
    const who = `the relay ${from.relay}`;
    return {
      key: `relay:${from.relay}`,
      who,
      subject: who,
      // The server ignores an INFORM of a host that is not registered, and the relay forwards DHCP anyway.
      asksDhcp: false,
      run: (trial) => deps.relays.run(from.relay, trial),
    };
  }
  const { name } = from.neighbour.metadata;
  const agentId = connectedAgentOf(deps, from.neighbour);
  return {
    key: name,
    who: name,
    subject: `the agent of ${name}`,
    asksDhcp: true,
    run: async (trial) => (agentId === undefined ? undefined : deps.agents?.run(agentId, trial)),
  };
}
