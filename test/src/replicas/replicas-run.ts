/**
 * Workflows are created and run on three servers with one PostgreSQL while one server after the other is
 * killed. At the end, the stored state is compared with what was acknowledged.
 */
import type { ActionStatusRequest } from '@tinkerbell/api/agent';
import { startPostgres } from '@tinkerbell/sandbox/postgres';
import { violationsIn, type Violation } from '../crash/checker.ts';
import type { AgentEntry, FinalWorkflow } from '../crash/journals.ts';
import { pause, SimulatedAgent } from '../crash/simulated-agent.ts';
import { createUntilAcknowledged, readWorkflows, template, workflow } from '../crash/workload.ts';
import { SeededChoice } from '../seeded-choice.ts';
import { newReplica, type Replica } from './replica.ts';

const REPLICAS = 3;
const AGENTS = Array.from({ length: 8 }, (_, index) => `agent-${index}`);
const CREATE_EVERY_MS = 60;
/** A creator whose server was killed uses another one. */
const ASK_ANOTHER_AFTER_MS = 1_000;
/** Beyond this time, a kill has stopped the work. */
const MOVE_LIMIT_MS = 60_000;
const PEACE_LIMIT_MS = 90_000;

export interface ReplicasOptions {
  readonly kills: number;
  readonly seed: number;
  /** After it there is no further kill, and what was done until then is checked. */
  readonly signal?: AbortSignal;
  readonly onKill?: (done: number, moveMs: number) => void;
}

export interface ReplicasReport {
  /** The number of kills. It is lower than requested after an interruption, or when work did not continue. */
  readonly kills: number;
  readonly seed: number;
  /** Kills of the server that ran the controller. */
  readonly leaderKills: number;
  /**
   * The time from the kill until a workflow that was created afterwards was rendered and an agent was
   * answered.
   */
  readonly slowestMoveMs: number;
  readonly workflows: number;
  readonly succeeded: number;
  readonly starts: number;
  readonly repeatedStarts: number;
  readonly reportsAcknowledged: number;
  readonly violations: readonly (Violation | Standstill)[];
}

interface Standstill {
  readonly promise: 'G11';
  readonly message: string;
}

export async function runReplicas({ kills, seed, signal, onKill }: ReplicasOptions): Promise<ReplicasReport> {
  const choice = new SeededChoice(seed);
  const random: Random = (below) => choice.below(Math.max(1, below));
  await using cleanup = new AsyncDisposableStack();
  const postgres = cleanup.use(await startPostgres({ fsync: true }));
  const url = await postgres.database('replicas');
  const replicas: Replica[] = [];
  for (let index = 0; index < REPLICAS; index += 1) replicas.push(cleanup.use(await newReplica(url)));
  await Promise.all(replicas.map((replica) => replica.start()));
  const world = startWorld(replicas, random);
  cleanup.defer(() => world.stop());
  const moves: number[] = [];
  const standstills: Standstill[] = [];
  let leaderKills = 0;
  const mayGoOn = () => standstills.length === 0 && signal?.aborted !== true;
  for (let done = 0; done < kills && mayGoOn(); done += 1) {
    const victim = replicas[random(REPLICAS)];
    if (victim === undefined) throw new Error('no server to kill');
    await pause(random(1_000));
    if (await victim.isLeading()) leaderKills += 1;
    await victim.kill();
    const others = replicas.filter((replica) => replica !== victim);
    const moveMs = await workMoves(others, world, `moved-${done}`);
    moves.push(moveMs);
    if (moveMs >= MOVE_LIMIT_MS) standstills.push(standstillOf(done + 1));
    onKill?.(done + 1, moveMs);
    await victim.start();
  }
  await world.stopCreating();
  const workflows = await restOf(replicas);
  await world.stop();
  const { created, journal } = world;
  return {
    ...countsOf(workflows, journal),
    kills: moves.length,
    seed,
    leaderKills,
    slowestMoveMs: Math.round(Math.max(0, ...moves)),
    violations: [...standstills, ...violationsIn({ created, agents: journal, workflows })],
  };
}

function standstillOf(kill: number): Standstill {
  return {
    promise: 'G11',
    message: `nothing was rendered, or no agent answered, within ${MOVE_LIMIT_MS / 1000} s of kill ${kill}`,
  };
}

type Random = (below: number) => number;

interface World {
  readonly created: Set<string>;
  readonly journal: AgentEntry[];
}

function countsOf(workflows: ReadonlyMap<string, FinalWorkflow>, journal: readonly AgentEntry[]) {
  const starts = journal.filter(({ event }) => event === 'started');
  return {
    workflows: workflows.size,
    succeeded: [...workflows.values()].filter(({ state }) => state === 'SUCCESS').length,
    starts: starts.length,
    repeatedStarts: starts.length - new Set(starts.map((one) => `${one.workflow} ${one.action}`)).size,
    reportsAcknowledged: journal.filter(({ event }) => event === 'report-acknowledged').length,
  };
}

/** Agents and creators know all servers, and each begins with another one. */
function startWorld(replicas: readonly Replica[], random: Random) {
  const creating = new AbortController();
  const created = new Set<string>();
  const journal: AgentEntry[] = [];
  const sent: ActionStatusRequest[] = [];
  const addresses = replicas.map(({ grpcAddress }) => grpcAddress);
  const agents = AGENTS.map((id, index) => {
    const first = index % addresses.length;
    const server = `ipv4:${[...addresses.slice(first), ...addresses.slice(0, first)].join(',')}`;
    return new SimulatedAgent({ id, server, journal, sent, random });
  });
  const creation = create(replicas, { random, created, signal: creating.signal });
  const work = Promise.all(agents.map((agent) => agent.run()));
  return {
    created,
    journal,
    async stopCreating() {
      creating.abort();
      await creation;
    },
    async stop() {
      creating.abort();
      for (const agent of agents) agent.stop();
      await Promise.all([creation, work]);
    },
  };
}

async function create(
  replicas: readonly Replica[],
  { random, created, signal }: { random: Random; created: Set<string>; signal: AbortSignal },
): Promise<void> {
  await createSomewhere(replicas, template(), signal);
  const anAgent = () => AGENTS[random(AGENTS.length)] ?? '';
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `w${number}`;
    const first = random(replicas.length);
    const order = [...replicas.slice(first), ...replicas.slice(0, first)];
    if (await createSomewhere(order, workflow(name, [anAgent(), anAgent()]), signal))
      created.add(`default/${name}`);
    await pause(random(2 * CREATE_EVERY_MS));
  }
}

async function createSomewhere(
  replicas: readonly Replica[],
  object: Parameters<typeof createUntilAcknowledged>[1],
  signal: AbortSignal,
): Promise<boolean> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const url = replicas[turn % replicas.length]?.url ?? '';
    const patience = AbortSignal.any([signal, AbortSignal.timeout(ASK_ANOTHER_AFTER_MS)]);
    if (await createUntilAcknowledged(url, object, patience)) return true;
  }
  return false;
}

/**
 * Returns the milliseconds until the other servers have rendered a new workflow and answered an agent, at
 * most the limit.
 */
async function workMoves(others: readonly Replica[], world: World, name: string): Promise<number> {
  const startedMs = performance.now();
  const answersBefore = world.journal.filter(({ event }) => event === 'report-acknowledged').length;
  const limit = AbortSignal.timeout(MOVE_LIMIT_MS);
  const agents = [AGENTS[0] ?? '', AGENTS[1] ?? ''] as const;
  if (await createSomewhere(others, workflow(name, agents), limit)) world.created.add(`default/${name}`);
  while (!limit.aborted) {
    const isRendered = await hasState(others[0]?.url ?? '', name);
    const answers = world.journal.filter(({ event }) => event === 'report-acknowledged').length;
    if (isRendered && answers > answersBefore) return performance.now() - startedMs;
    await pause(50);
  }
  return MOVE_LIMIT_MS;
}

async function hasState(url: string, name: string): Promise<boolean> {
  try {
    const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows/${name}`;
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) });
    const { status } = (await response.json()) as { status?: { state?: string } };
    return (status?.state ?? '') !== '';
  } catch {
    return false;
  }
}

/** Returns the workflows when all have ended, or when that takes too long. */
async function restOf(replicas: readonly Replica[]) {
  const startedMs = performance.now();
  for (;;) {
    const workflows = await readWorkflows(replicas[0]?.url ?? '');
    const haveEnded = [...workflows.values()].every(({ state }) =>
      ['SUCCESS', 'FAILED', 'TIMEOUT'].includes(state),
    );
    if (haveEnded || performance.now() - startedMs > PEACE_LIMIT_MS) return workflows;
    await pause(200);
  }
}
