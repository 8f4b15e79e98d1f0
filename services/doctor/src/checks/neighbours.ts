/** Who can try something for a machine: agents of other machines, and relays. */
import { areNeighbours, probedAddresses } from '@tinkerbell/diagnosis';
import type { AgentTrials, RelayTrials } from '@tinkerbell/platform-contract';
import { macsOf, type Hardware } from '@tinkerbell/resources';
import { machineOfAgent, type View } from '@tinkerbell/store-contract';
import { keyOf } from '../observe.ts';

/** One is enough. Several are a choice for a person. */
const NEIGHBOURS_MAX = 8;
/** Agents whose networks are compared in one turn of the event loop. */
const COMPARED_MAX = 1_000;

interface Deps {
  readonly view: View;
  readonly agents?: AgentTrials;
}

/** From where something is tried: the agent of another machine, or a relay by its name. */
export type CheckedFrom = { readonly neighbour: Hardware } | { readonly relay: string };

/** Returns the id with which the agent of the machine is connected. */
export function connectedAgentOf({ agents }: Deps, hardware: Hardware): string | undefined {
  const ids = [hardware.spec?.agentID ?? '', ...macsOf(hardware)];
  return ids.find((id) => id !== '' && agents?.isConnected(id) === true);
}

/** Returns machines of the same network and namespace whose agents are connected, at most eight. */
export function neighboursOf({ view, agents }: Deps, hardware: Hardware): readonly Hardware[] {
  const found: Hardware[] = [];
  let compared = 0;
  for (const agentId of agents?.connected() ?? []) {
    compared += 1;
    if (compared > COMPARED_MAX || found.length === NEIGHBOURS_MAX) break;
    const other = machineOfAgent(view, agentId);
    if (other === undefined || keyOf(other) === keyOf(hardware)) continue;
    if (other.metadata.namespace !== hardware.metadata.namespace) continue;
    if (areNeighbours(hardware, other)) found.push(other);
  }
  return found;
}

/** Returns the names of connected relays that have an address of the machine in a network of their clients, at most eight. */
export function relaysOf(relays: RelayTrials, hardware: Hardware): readonly string[] {
  return [...new Set(probedAddresses(hardware).flatMap((address) => relays.near(address)))].slice(
    0,
    NEIGHBOURS_MAX,
  );
}
