/** Measures thousands of idle connected agents: their cost, and how soon work reaches one of them. */
import { join } from 'node:path';

import { AgentLoad, nowMs, withFiles } from './agent-load.ts';
import { PROTOCOL_NAMES } from './action-rows.ts';
import { createObject } from './api-client.ts';
import { rowOf, type BenchContext, type Row } from './benchmark.ts';
import type { AgentProtocol } from './load-agent.ts';
import { quantile } from './rounds.ts';
import { processorSeconds, residentMegabytes } from './running-program.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';
import { createSite, workflowOf } from './workflow-objects.ts';

const PROCESSOR_GOAL_PERCENT = 5;
const MEMORY_GOAL_MB = 500;
const REACHED_GOAL_MS = 100;
const LOAD_PROCESSES = 2;
const WARM_UP = 10;
/** Connecting leaves garbage and pings behind, and V8 compiles and collects garbage in the first two minutes. Machines wait for days. */
const SETTLE_MS = { quick: 3000, whole: 120_000 } as const;
/** The step between the agents that get work, so that they are spread over the site. */
const STRIDE = 37;
const REACH_DEADLINE_MS = 30_000;

export async function idleAgentRows(context: BenchContext): Promise<Row[]> {
  const agents = context.quick ? 1000 : 10_000;
  const rows: Row[] = [];
  for (const protocol of ['sessions', 'upstream'] as const) {
    const server = await startOnLoopback(context, {
      dataDirectory: join(context.directory, `idle-${protocol}`),
      prefix: withFiles(agents),
    });
    await createSite(server.url, agents);
    context.say(`${agents} idle agents of ${PROTOCOL_NAMES[protocol]}`);
    rows.push(...(await protocolRows(context, { server, protocol, agents })));
    await server.stop();
  }
  return rows;
}

interface Idle {
  readonly server: LoopbackServer;
  readonly protocol: AgentProtocol;
  readonly agents: number;
}

async function protocolRows(context: BenchContext, { server, protocol, agents }: Idle): Promise<Row[]> {
  const load = await AgentLoad.connect(context, {
    authority: server.grpcAddress,
    protocol,
    agents,
    processes: LOAD_PROCESSES,
  });
  const arrivals = new Map<number, (atMs: number) => void>();
  load.wait((machine, atMs) => arrivals.get(machine)?.(atMs));
  await pause(context.quick ? SETTLE_MS.quick : SETTLE_MS.whole);
  const percent = await idlePercent(server, context.quick ? 15_000 : 60_000);
  const megabytes = residentMegabytes(server.pid);
  const reached: number[] = [];
  for (let sample = 0; sample < (context.quick ? 60 : 300) + WARM_UP; sample += 1) {
    const machine = (sample * STRIDE) % agents;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const timer = setTimeout(
      () => reject(new Error(`no Workflow has reached machine ${machine}`)),
      REACH_DEADLINE_MS,
    );
    arrivals.set(machine, resolve);
    const startedMs = nowMs();
    await createObject(server.url, workflowOf(`reach-${sample}`, 'one', machine));
    const milliseconds = (await promise) - startedMs;
    clearTimeout(timer);
    arrivals.delete(machine);
    if (sample >= WARM_UP) reached.push(milliseconds);
  }
  await load.stop();
  const name = `${agents} idle agents of ${PROTOCOL_NAMES[protocol]}`;
  const lower = ({ text, value, unit, goal }: LowerRow) =>
    rowOf({ name: `${name}: ${text}`, value, unit, better: 'lower', goal: { value: goal } });
  return [
    lower({ text: 'processor time, of one core', value: percent, unit: '%', goal: PROCESSOR_GOAL_PERCENT }),
    lower({ text: 'resident memory of the server', value: megabytes, unit: 'MB', goal: MEMORY_GOAL_MB }),
    rowOf({
      name: `${name}: a new Workflow reaches its agent, median`,
      value: quantile(reached, 0.5),
      unit: 'ms',
      better: 'lower',
      goal: { none: 'the slowest count' },
    }),
    lower({
      text: 'a new Workflow reaches its agent, 99 of 100',
      value: quantile(reached, 0.99),
      unit: 'ms',
      goal: REACHED_GOAL_MS,
    }),
  ];
}

/** A row whose value should be lower than its goal. */
interface LowerRow {
  readonly text: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: number;
}

/** Several intervals of heartbeats, which come together. In a full run it is as long as a GetAction is held. */
async function idlePercent(server: LoopbackServer, milliseconds: number): Promise<number> {
  const before = processorSeconds(server.pid);
  const startedMs = performance.now();
  await pause(milliseconds);
  const seconds = (performance.now() - startedMs) / 1000;
  return ((processorSeconds(server.pid) - before) * 100) / seconds;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
