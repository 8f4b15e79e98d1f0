/** Finds the machine on which an agent runs. */
import type { Hardware } from '@tinkerbell/resources';
import type { AgentAttributes } from './agent-attributes.ts';
import { macOf } from './network-mac.ts';

export interface HardwareLookup {
  byAgentId(agentId: string): readonly Hardware[];
  byMac(mac: string): readonly Hardware[];
}

export type AgentHardware =
  | { readonly kind: 'known'; readonly hardware: Hardware }
  | { readonly kind: 'unknown' }
  /** The message names other machines. It is for the operator, not for the agent. */
  | { readonly kind: 'unclear'; readonly message: string };

/**
 * Returns the Hardware by `spec.agentID`, as upstream. Otherwise it returns Hardware without an agent by the
 * MAC that is the agent's name (which boot scripts pass), or by a MAC that the agent reports. Upstream
 * creates a second Hardware with the same MAC for such a machine, and then no longer boots it. A MAC of
 * another agent is ambiguous, because two Hardware must not have it.
 */
export function hardwareOfAgent(
  agentId: string,
  attributes: AgentAttributes | undefined,
  lookup: HardwareLookup,
): AgentHardware {
  const [first, ...more] = lookup.byAgentId(agentId);
  if (first !== undefined)
    return more.length === 0
      ? { kind: 'known', hardware: first }
      : unclear(`multiple hardware objects found for ID ${agentId}`);
  const macs = [agentId, ...(attributes?.network ?? []).map(({ mac }) => mac ?? '')].map(macOf);
  const found = new Map<string, Hardware>();
  for (const mac of new Set(macs))
    for (const hardware of mac === undefined ? [] : lookup.byMac(mac)) found.set(nameOf(hardware), hardware);
  const [only, ...others] = found.values();
  if (only === undefined) return { kind: 'unknown' };
  if (others.length > 0) return unclear(`the MACs of agent ${agentId} are in ${namesOf([...found.keys()])}`);
  if (only.spec?.agentID)
    return unclear(
      `hardware ${nameOf(only)} has a MAC of agent ${agentId}, but is of agent ${only.spec.agentID}`,
    );
  return { kind: 'known', hardware: only };
}

/**
 * The MAC that identifies a machine without Hardware: the agent's name if it is a MAC, else the first one that the agent reports.
 */
export function machineOfAgent(agentId: string, attributes: AgentAttributes | undefined): string | undefined {
  const told = (attributes?.network ?? []).map(({ mac = '' }) => macOf(mac));
  return macOf(agentId) ?? told.find((mac) => mac !== undefined);
}

function unclear(message: string): AgentHardware {
  return { kind: 'unclear', message };
}

/** An agent can report the MACs of a whole site. */
const NAMES_SHOWN = 3;

function namesOf(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return names.slice(0, NAMES_SHOWN).join(', ') + more;
}

function nameOf({ metadata }: Hardware): string {
  return `${metadata.namespace}/${metadata.name}`;
}
