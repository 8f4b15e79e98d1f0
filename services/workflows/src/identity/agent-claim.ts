/** Agents behind a proxy that verifies their token: the claim in the token must be their id. */
import { agentRefusal, type AgentRefusal } from '@tinkerbell/agent-identity';
import { parseMac } from '@tinkerbell/wire';
import type { Caller } from '../grpc/calls.ts';

/** The header in which the proxy puts the claim. */
export const CLAIM_HEADER = 'x-tinkerbell-claim';

export interface AgentClaimConfig {
  /** Returns whether an address belongs to a proxy whose header is trusted. */
  readonly isTrusted: (address: string) => boolean;
}

/** Returns undefined when the claim is the agent's id. MACs match in any spelling. */
export function claimRefusal(
  { isTrusted }: AgentClaimConfig,
  caller: Pick<Caller, 'peer' | 'header'>,
  agentId: string,
): AgentRefusal | undefined {
  const claimed = isTrusted(addressOf(caller.peer)) ? (caller.header(CLAIM_HEADER) ?? '') : '';
  const isSame = claimed !== '' && (parseMac(claimed) ?? claimed) === (parseMac(agentId) ?? agentId);
  return isSame ? undefined : agentRefusal('claim');
}

/** `127.0.0.1:50123` -> `127.0.0.1`; `[::1]:50123` -> `::1`. */
function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
