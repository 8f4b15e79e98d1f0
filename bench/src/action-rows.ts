/** Thousands of agents that run Workflows of ten actions: how many changes the server makes durable, and how long agents wait. */
import { join } from 'node:path';

import { AgentLoad } from './agent-load.ts';
import { EXPLAINS, rowOf, type BenchContext, type Row } from './benchmark.ts';
import type { AgentProtocol } from './load-agent.ts';
import { median, quantile } from './rounds.ts';
import { processorSeconds } from './running-program.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';
import { createSite, createWorkflows, listWorkflows, transitionsOf } from './workflow-objects.ts';

const ACTIONS_PER_WORKFLOW = 10;
const TRANSITIONS_PER_ACTION = 3;
const TRANSITIONS_GOAL = 6000;
const NEXT_ACTION_GOAL_MS = 25;
/** Above it the wait is no longer that of a site, where machines write disks between two reports. */
const PACED_RATE_MAX = 3000;
/** A collection of the server's garbage, which a round may have or not, decides about its slowest hundredth. */
const PACED_ROUNDS = { quick: 1, whole: 5 } as const;
const LOAD_PROCESSES = 2;

export const PROTOCOL_NAMES: Readonly<Record<AgentProtocol, string>> = {
  upstream: "upstream's protocol",
  sessions: 'tinkerbell.agent.v1',
};

export async function actionRows(context: BenchContext): Promise<Row[]> {
  const agents = context.quick ? 200 : 1000;
  const server = await startOnLoopback(context, { dataDirectory: join(context.directory, 'actions') });
  context.say(`creating ${agents} Hardware`);
  await createSite(server.url, agents);
  const rows: Row[] = [];
  for (const protocol of ['sessions', 'upstream'] as const)
    rows.push(...(await protocolRows(context, { server, protocol, agents })));
  await server.stop();
  return rows;
}

interface Load {
  readonly server: LoopbackServer;
  readonly protocol: AgentProtocol;
  readonly agents: number;
}

/**
 * First as fast as the server answers, then at half that rate, so that machines do not all act at the same
 * moment. A run before them warms up server and load, because the first seconds of a program are slower.
 */
async function protocolRows(context: BenchContext, given: Load): Promise<Row[]> {
  const name = `${given.agents} agents of ${PROTOCOL_NAMES[given.protocol]}`;
  context.say(name);
  const connected = await connect(context, given);
  const load = { ...given, connected };
  await runConnected(context, load, { phase: 'warm-up', actionMs: 0 });
  const fastest = await runConnected(context, load, { phase: 'fastest', actionMs: 0 });
  const rate = fastest.transitions / fastest.seconds;
  const pacedRate = Math.min(PACED_RATE_MAX, rate / 2);
  const actionMs = (given.agents * TRANSITIONS_PER_ACTION * 1000) / pacedRate;
  const paced: Outcome[] = [];
  for (let round = 1; round <= (context.quick ? PACED_ROUNDS.quick : PACED_ROUNDS.whole); round += 1)
    paced.push(await runConnected(context, load, { phase: `paced-${round}`, actionMs }));
  await connected.stop();
  const waits = (part: number): number =>
    median(paced.map(({ nextActionMs }) => quantile(nextActionMs, part)));
  const at = `at ${Math.round(median(paced.map(({ transitions, seconds }) => transitions / seconds)))} transitions/s`;
  return [
    rowOf({
      name: `${name}: durable transitions of actions (assigned, RUNNING, SUCCESS)`,
      value: rate,
      unit: '/s',
      better: 'higher',
      goal: { value: TRANSITIONS_GOAL },
    }),
    rowOf({
      name: `${name}: the server's processor time per transition`,
      value: (fastest.serverSeconds * 1e6) / fastest.transitions,
      unit: 'us',
      better: 'lower',
      goal: EXPLAINS,
    }),
    rowOf({
      name: `${name}: report to next action ${at}, median`,
      value: waits(0.5),
      unit: 'ms',
      better: 'lower',
      goal: { none: 'the slowest counts' },
    }),
    rowOf({
      name: `${name}: report to next action ${at}, 99 of 100`,
      value: waits(0.99),
      unit: 'ms',
      better: 'lower',
      goal: { value: NEXT_ACTION_GOAL_MS },
    }),
  ];
}

interface Run {
  readonly phase: string;
  readonly actionMs: number;
}

interface Outcome {
  readonly seconds: number;
  /** Counts by the final status of the Workflows. */
  readonly transitions: number;
  readonly serverSeconds: number;
  readonly nextActionMs: readonly number[];
}

/** With agents that connect for it. */
export async function runOnce(context: BenchContext, load: Load, run: Run): Promise<Outcome> {
  const connected = await connect(context, load);
  const outcome = await runConnected(context, { ...load, connected }, run);
  await connected.stop();
  return outcome;
}

function connect(context: BenchContext, { server, protocol, agents }: Load): Promise<AgentLoad> {
  return AgentLoad.connect(context, {
    authority: server.grpcAddress,
    protocol,
    agents,
    processes: LOAD_PROCESSES,
  });
}

async function runConnected(
  context: BenchContext,
  { server, protocol, agents, connected }: Load & { readonly connected: AgentLoad },
  { phase, actionMs }: Run,
): Promise<Outcome> {
  const name = `${phase}-${protocol}`;
  await createWorkflows(server.url, { name, template: 'ten', count: agents });
  // Agents of our own protocol get their first action without asking, which is not counted.
  const assigned = await transitionsIn(server, name);
  const [serverBefore, loadBefore] = [processorSeconds(server.pid), connected.processorSeconds()];
  const run = await connected.run({ actions: ACTIONS_PER_WORKFLOW, actionMs, spreadMs: actionMs });
  const serverSeconds = processorSeconds(server.pid) - serverBefore;
  const loadSeconds = connected.processorSeconds() - loadBefore;
  const transitions = (await transitionsIn(server, name)) - assigned;
  context.say(
    `${phase}: ${transitions} transitions in ${run.seconds.toFixed(1)} s; processor time: server ${serverSeconds.toFixed(1)} s, load ${loadSeconds.toFixed(1)} s; 99 of 100 within ${quantile(run.nextActionMs, 0.99).toFixed(1)} ms`,
  );
  return { ...run, transitions, serverSeconds };
}

async function transitionsIn({ url }: LoopbackServer, name: string): Promise<number> {
  return transitionsOf((await listWorkflows(url)).filter(({ metadata }) => metadata.name.startsWith(name)));
}
