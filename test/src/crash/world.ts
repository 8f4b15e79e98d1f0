/** Workflows that are continuously created and run on one server, whatever happens to it. */
import type { ActionStatusRequest } from '@tinkerbell/api/agent';
import { grpcAddressOf, urlOf, type ServerPlace } from './faulty-server.ts';
import { reportHostilely } from './hostile-reporter.ts';
import type { AgentEntry } from './journals.ts';
import { pause, SimulatedAgent } from './simulated-agent.ts';
import { createUntilAcknowledged, readWorkflows, template, workflow } from './workload.ts';

const AGENTS = Array.from({ length: 8 }, (_, index) => `agent-${index}`);
const CREATE_EVERY_MS = 60;
const PEACE_LIMIT_MS = 60_000;

/** A number from 0 up to, not including, `below`. */
export type Random = (below: number) => number;

/** The creators, agents and disturbers. All run until they are stopped. */
export function startWorld(place: ServerPlace, random: Random) {
  const [creating, disturbing] = [new AbortController(), new AbortController()];
  const created = new Set<string>();
  const journal: AgentEntry[] = [];
  const sent: ActionStatusRequest[] = [];
  const server = grpcAddressOf(place);
  const agents = AGENTS.map((id) => new SimulatedAgent({ id, server, journal, sent, random }));
  const creation = create(place, { random, created, signal: creating.signal });
  const work = Promise.all([
    ...agents.map((agent) => agent.run()),
    reportHostilely({ server, sent, random, signal: disturbing.signal }),
  ]);
  return {
    created,
    journal,
    async stopCreating() {
      creating.abort();
      await creation;
    },
    async stop() {
      creating.abort();
      disturbing.abort();
      for (const agent of agents) agent.stop();
      await Promise.all([creation, work]);
    },
  };
}

async function create(
  place: ServerPlace,
  { random, created, signal }: { random: Random; created: Set<string>; signal: AbortSignal },
): Promise<void> {
  const url = urlOf(place);
  await createUntilAcknowledged(url, template(), signal);
  const anAgent = () => AGENTS[random(AGENTS.length)] ?? '';
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `w${number}`;
    if (await createUntilAcknowledged(url, workflow(name, [anAgent(), anAgent()]), signal))
      created.add(`default/${name}`);
    await pause(random(2 * CREATE_EVERY_MS));
  }
}

/** Returns the workflows when all have ended, or when that takes too long. */
export async function restOf(place: ServerPlace) {
  const startedMs = performance.now();
  for (;;) {
    const workflows = await readWorkflows(urlOf(place));
    const haveEnded = [...workflows.values()].every(({ state }) =>
      ['SUCCESS', 'FAILED', 'TIMEOUT'].includes(state),
    );
    if (haveEnded || performance.now() - startedMs > PEACE_LIMIT_MS) return workflows;
    await pause(200);
  }
}
