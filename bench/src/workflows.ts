import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { StateType } from '@tinkerbell/api/agent';

import { createAgents, untilWaiting, type Agent } from './agents.ts';
import { createMany, createObject, type ApiObject } from './api-client.ts';
import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { addressesOf, hardwareOf } from './machines.ts';
import { quantile } from './rounds.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';

const LATENCY_GOAL_MS = 50;
const REPORTING_AGENTS = 64;
const ACTIONS_PER_WORKFLOW = 10;
const CREATE_CONCURRENCY = 32;
const SYNC_BYTES = 4096;
const WARM_UP = 30;

export const workflowsBenchmark: Benchmark = {
  name: 'workflows',
  summary:
    'from the creation of a Workflow to the answer of a waiting agent, and reports per second; all durable',
  async run(context) {
    const server = await startOnLoopback(context, { dataDirectory: join(context.directory, 'data') });
    const waitingCounts = context.quick ? [1, 100] : [1, 100, 1000];
    const machines = Math.max(REPORTING_AGENTS, ...waitingCounts);
    context.say(`creating ${machines} Hardware`);
    await createMany(server.url, { count: machines, concurrency: CREATE_CONCURRENCY }, hardwareOf);
    await createObject(server.url, templateOf('one', 1));
    await createObject(server.url, templateOf('ten', ACTIONS_PER_WORKFLOW));
    const rows: Row[] = [];
    for (const waiting of waitingCounts) rows.push(...(await latencyRows(context, server, waiting)));
    rows.push(...(await reportRows(context, server)), syncRow(context));
    return rows;
  },
};

function templateOf(name: string, actions: number): ApiObject {
  const action = (index: number) => `      - name: action-${index}
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 600
        environment:
          IMG_URL: "http://10.199.0.1:7080/images/{{ (index .Hardware.Interfaces 0).DHCP.Hostname }}.img.zst"
          DEST_DISK: {{ index .Hardware.Disks 0 }}
`;
  const data = `version: "0.1"
name: ${name}
global_timeout: 1800
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions:
${Array.from({ length: actions }, (_, index) => action(index)).join('')}`;
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name, namespace: 'default' },
    spec: { data },
  };
}

function workflowOf(name: string, template: string, machine: number): ApiObject {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'default' },
    spec: {
      templateRef: template,
      hardwareRef: `machine-${machine}`,
      hardwareMap: { device_1: addressesOf(machine).mac },
    },
  };
}

/** One Workflow at a time, each for another of the waiting agents, which runs it and waits again. */
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
    rowOf({ ...row, name: `${name}, median`, value: quantile(milliseconds, 0.5) }),
    rowOf({
      ...row,
      name: `${name}, 99 of 100`,
      value: quantile(milliseconds, 0.99),
      goal: { value: LATENCY_GOAL_MS },
    }),
  ];
}

/** Agents that run through their Workflows as fast as the server lets them: each action is asked for, started and ended. */
async function reportRows(context: BenchContext, server: LoopbackServer): Promise<Row[]> {
  const perAgent = context.quick ? 1 : 5;
  const workflows = REPORTING_AGENTS * perAgent;
  context.say(`${REPORTING_AGENTS} agents run ${workflows} Workflows of ${ACTIONS_PER_WORKFLOW} actions`);
  await createMany(server.url, { count: workflows, concurrency: CREATE_CONCURRENCY }, (index) =>
    workflowOf(`report-${index}`, 'ten', index % REPORTING_AGENTS),
  );
  const agents = createAgents(context, server, REPORTING_AGENTS);
  const startedMs = performance.now();
  await Promise.all(agents.map((agent) => runActions(agent, perAgent * ACTIONS_PER_WORKFLOW)));
  const seconds = (performance.now() - startedMs) / 1000;
  const actions = workflows * ACTIONS_PER_WORKFLOW;
  const row = { unit: '/s', better: 'higher' } as const;
  return [
    rowOf({ ...row, name: `ReportActionStatus, ${REPORTING_AGENTS} agents`, value: (actions * 2) / seconds }),
    rowOf({ ...row, name: 'durable calls with GetAction counted', value: (actions * 3) / seconds }),
  ];
}

async function runActions(agent: Agent, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const action = await agent.nextAction();
    await agent.report(action, StateType.RUNNING);
    await agent.report(action, StateType.SUCCESS);
  }
}

/** What one durable write after another costs here: the rates above are more, because writes that wait share a sync. */
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
  });
}
