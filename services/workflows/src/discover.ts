/**
 * Finds the Hardware of an agent's machine. Creates it when it does not exist and discovery is enabled (upstream discovery.go).
 */
import { hardwareCollection } from '@tinkerbell/store-contract';
import type { ActionRequest } from '@tinkerbell/api/agent';
import {
  AGENT_ID_MAX,
  DISCOVERED_LABEL,
  discoveredHardware,
  hardwareOfAgent,
  machineOfAgent,
  type AgentHardware,
} from '@tinkerbell/enrollment';
import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import { createObject } from './new-object.ts';
import type { Newcomer, NewcomerDeps, Newcomers } from './newcomers.ts';

/** The only message that an agent gets about other machines. */
export const UNCLEAR = 'more than one Hardware could be this machine; see the timeline of the machine';

type Discovered = { readonly hardware: Hardware; readonly isNew: boolean } | Refused;
interface Refused {
  readonly refused: 'unclear' | 'cap' | 'rate' | 'invalid' | 'exists' | 'unavailable';
  readonly message: string;
}

/** Never rejects. A failed discovery is recorded. */
export async function discover(
  deps: NewcomerDeps,
  request: Pick<ActionRequest, 'agentId' | 'agentAttributes'>,
): Promise<Newcomer> {
  const { agentId, agentAttributes: attributes } = request;
  const newcomer: Newcomer = { agentId, attributes, isJustDiscovered: false, isEnrolled: false };
  const { discovery, enrollment } = deps.newcomers;
  if (agentId.length > AGENT_ID_MAX && (discovery ?? enrollment) !== undefined)
    return { ...newcomer, refusal: `its ID has more than ${AGENT_ID_MAX} characters` };
  if (discovery === undefined) return newcomer;
  const found = knownHardware(deps, newcomer);
  if (found.kind === 'known') return { ...newcomer, hardware: found.hardware };
  const discovered: Discovered =
    found.kind === 'unclear'
      ? { refused: 'unclear', message: found.message }
      : await makeHardware(deps, newcomer, discovery).catch((thrown: unknown) => ({
          refused: 'unavailable',
          message: String(thrown),
        }));
  recordDiscovery(deps, newcomer, discovered);
  if ('refused' in discovered)
    return { ...newcomer, refusal: found.kind === 'unclear' ? UNCLEAR : discovered.message };
  return { ...newcomer, hardware: discovered.hardware, isJustDiscovered: discovered.isNew };
}

export function knownHardware(deps: NewcomerDeps, { agentId, attributes }: Newcomer): AgentHardware {
  return hardwareOfAgent(agentId, attributes, {
    byAgentId: (id) => deps.view.hardwareByAgent(id),
    byMac: (mac) => deps.view.hardwareByMac(mac),
  });
}

async function makeHardware(
  deps: NewcomerDeps,
  { agentId, attributes }: Newcomer,
  settings: NonNullable<Newcomers['discovery']>,
): Promise<Discovered> {
  const made = discoveredHardware(agentId, attributes, settings);
  if (!made.ok) return { refused: 'invalid', message: made.message };
  const discovered = hardwareCollection
    .all(deps.view)
    .filter(({ metadata }) => metadata.labels?.[DISCOVERED_LABEL] === 'true').length;
  if (discovered >= settings.maxDiscovered)
    return {
      refused: 'cap',
      message: `${discovered} machines are discovered already; delete the Hardware of some, or raise --tink-server-auto-discovery-max`,
    };
  if (!deps.newcomers.mayMakeOne(settings.rate, deps.clock.monotonicMs()))
    return { refused: 'rate', message: 'many machines are being discovered; ask again later' };
  const created = await createObject(deps, hardwareCollection, made.hardware);
  if (created.ok) return { hardware: created.object, isNew: true };
  if (created.reason !== 'already-exists') return { refused: created.reason, message: created.message };
  // Two calls of one agent may both find no Hardware.
  const there = (await hardwareCollection.get(deps.store, created.key))?.object;
  if (there?.spec?.agentID === agentId) return { hardware: there, isNew: false };
  return { refused: 'exists', message: `${created.message}, and is not of agent ${agentId}` };
}

function recordDiscovery(deps: NewcomerDeps, newcomer: Newcomer, discovered: Discovered): void {
  const { log, newcomers } = deps;
  const { agentId, attributes } = newcomer;
  if ('refused' in discovered) {
    const { refused, message } = discovered;
    newcomers.count('discovery', refused);
    log.debug('machine not discovered', { agentId, reason: refused, detail: message });
    const machine = machineOfAgent(agentId, attributes);
    newcomers.record(deps, agentId, {
      source: 'agent',
      event: 'discovery-refused',
      ...(machine === undefined ? {} : { machine }),
      message: `machine of agent ${agentId} not discovered: ${message}`,
      details: { agent: agentId, reason: refused },
    });
  } else if (discovered.isNew) {
    const { hardware } = discovered;
    const name = `${hardware.metadata.namespace}/${hardware.metadata.name}`;
    const machine = primaryMacOf(hardware) ?? machineOfAgent(agentId, attributes);
    newcomers.count('discovery', 'discovered');
    log.info('machine discovered', { agentId, hardware: name });
    newcomers.record(deps, agentId, {
      source: 'agent',
      event: 'machine-discovered',
      ...(machine === undefined ? {} : { machine }),
      message: `machine of agent ${agentId} discovered: hardware ${name}`,
      details: { agent: agentId, hardware: name },
    });
  }
}
