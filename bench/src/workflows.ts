import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { StateType } from '@tinkerbell/api/agent';

import { actionRows } from './action-rows.ts';
import { createAgents, untilWaiting } from './agents.ts';
import { createObject } from './api-client.ts';
import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { idleAgentRows } from './idle-agent-rows.ts';
import { renderRows } from './render-rows.ts';
import { restartRows } from './restart-rows.ts';
import { quantile } from './rounds.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';
import { createSite, workflowOf } from './workflow-objects.ts';

const LATENCY_GOAL_MS = 50;
const SYNC_BYTES = 4096;
const WARM_UP = 30;

const parts = {
  actions: actionRows,
  idle: idleAgentRows,
  rendering: renderRows,
  restart: restartRows,
  waiting: waitingRows,
} as const;

export const workflowsBenchmark: Benchmark = {
  name: 'workflows',
  summary: 'actions of many agents, idle agents, rendering, ready after SIGKILL; every change is durable',
  parts,
  async run(context) {
    const rows: Row[] = [];
    for (const part of Object.values(parts)) rows.push(...(await part(context)));
    return rows;
  },
};

async function waitingRows(context: BenchContext): Promise<Row[]> {
  const server = await startOnLoopback(context, { dataDirectory: join(context.directory, 'data') });
  const waitingCounts = context.quick ? [1] : [1, 1000];
  await createSite(server.url, Math.max(...waitingCounts));
  const rows: Row[] = [];
  for (const waiting of waitingCounts) rows.push(...(await latencyRows(context, server, waiting)));
  return [...rows, syncRow(context)];
}

/** Creates one Workflow at a time, each for another of the waiting agents, which runs it and waits again. */
async function latencyRows(context: BenchContext, server: LoopbackServer, waiting: number): Promise<Row[]> {
  context.say(`${waiting} agents wait`);
  await using scope = new AsyncDisposableStack();
  const agents = createAgents({ ...context, scope }, server, waiting);
  const held = agents.map((agent) => agent.nextAction());
  for (const call of held) call.catch(() => undefined);
  const samples = context.quick ? 50 : 300;
  const milliseconds: number[] = [];
  for (let sample = 0; sample < samples + WARM_UP; sample += 1) {
    const machine = (sample * 7) % waiting;
    await untilWaiting(server, waiting);
    const startedMs = performance.now();
    const created = createObject(server.url, workflowOf(`latency-${waiting}-${sample}`, 'one', machine));
    const action = await held[machine];
    const endedMs = performance.now();
    await created;
    if (sample >= WARM_UP) milliseconds.push(endedMs - startedMs);
    const agent = agents[machine];
    if (agent === undefined || action === undefined) throw new Error(`no agent ${machine}`);
    await agent.report(action, StateType.SUCCESS);
    const next = agent.nextAction();
    next.catch(() => undefined);
    held[machine] = next;
  }
  const name = `answer to 1 of ${waiting} waiting agents`;
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    rowOf({
      ...row,
      name: `${name}, median`,
      value: quantile(milliseconds, 0.5),
      goal: { none: 'the slowest count' },
    }),
    rowOf({
      ...row,
      name: `${name}, 99 of 100`,
      value: quantile(milliseconds, 0.99),
      goal: { value: LATENCY_GOAL_MS },
    }),
  ];
}

/**
 * Measures one durable write after another. The rates above are higher, because waiting writes share a sync.
 */
function syncRow(context: BenchContext): Row {
  const file = openSync(join(context.directory, 'sync'), 'w');
  const block = Buffer.alloc(SYNC_BYTES, 1);
  const count = context.quick ? 50 : 300;
  const startedMs = performance.now();
  for (let index = 0; index < count; index += 1) {
    writeSync(file, block);
    fsyncSync(file);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  closeSync(file);
  return rowOf({
    name: 'for comparison: bare write and fsync',
    value: count / seconds,
    unit: '/s',
    better: 'higher',
    goal: { none: 'the disk of this machine' },
  });
}
