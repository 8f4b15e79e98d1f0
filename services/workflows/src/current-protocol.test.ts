/** Current upstream's protocol: every code and text of GetAction and ReportActionStatus, and a whole run of its agent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { StateType, WorkflowService, type ActionResponse } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { nodeClock } from '@tinkerbell/platform-node';
import type { Workflow } from '@tinkerbell/resources';
import { answerOf, hasCode, runningServer } from './testing/running-server.ts';
import { pendingWorkflow } from './testing/workflows.ts';

const agentId = '52:54:00:00:00:01';
const workflow = pendingWorkflow([{ worker: agentId, actions: ['one', 'two', 'three'] }]);

function inState(state: string, change: object = {}): Workflow {
  return { ...workflow, status: { ...workflow.status, ...change, state } };
}

const nothing: readonly [string, Workflow | undefined, string, status, RegExp][] = [
  ['an empty agent id', undefined, '', status.INVALID_ARGUMENT, /^invalid Agent ID$/],
  ['no workflow', undefined, agentId, status.NOT_FOUND, /^no Workflows found$/],
  [
    'a workflow without tasks',
    inState('PENDING', { tasks: [] }),
    agentId,
    status.NOT_FOUND,
    /^no Tasks found in Workflow$/,
  ],
  [
    'a workflow in preparation',
    inState('PREPARING'),
    agentId,
    status.FAILED_PRECONDITION,
    /^Workflow is in preparing state$/,
  ],
  ...['POST', 'SUCCESS', 'FAILED', 'TIMEOUT'].map((state): (typeof nothing)[number] => [
    `a workflow in ${state}`,
    inState(state),
    agentId,
    status.FAILED_PRECONDITION,
    /^Workflow not in pending or running state$/,
  ]),
  [
    "another agent's turn",
    inState('RUNNING', {
      tasks: [{ ...workflow.status?.tasks?.[0], agentID: 'other' }],
    }),
    agentId,
    status.NOT_FOUND,
    /^Task not assigned to Agent$/,
  ],
];

test("GetAction answers with upstream's code and text", async (context) => {
  for (const [name, stored, agent, code, text] of nothing)
    await context.test(name, async () => {
      await using server = await runningServer({ holdMs: 20 });
      if (stored !== undefined) await server.putWorkflow(stored);
      const client = server.client(serviceDefinition(WorkflowService));
      await assert.rejects(answerOf(client, 'getAction', { agentId: agent }), hasCode(code, text));
    });
});

test('a held GetAction does not read the store, and answers when there is an action', async () => {
  await using server = await runningServer();
  const client = server.client(serviceDefinition(WorkflowService));
  let reads = 0;
  for (const method of ['get', 'list'] as const) {
    const read = server.store[method].bind(server.store) as (...given: unknown[]) => never;
    server.store[method] = (...given: unknown[]) => ((reads += 1), read(...given));
  }
  const held = answerOf<ActionResponse>(client, 'getAction', { agentId });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.equal(reads, 0, 'upstream reads once a second');
  await server.putWorkflow(workflow);
  assert.equal((await held).name, 'one');
});

test('an action without a timeout gets the remaining timeout of its workflow', async () => {
  const timeoutOf = async (change: object): Promise<bigint> => {
    await using server = await runningServer();
    await server.putWorkflow(inState('PENDING', change));
    const client = server.client(serviceDefinition(WorkflowService));
    return (await answerOf<ActionResponse>(client, 'getAction', { agentId })).timeout;
  };
  const [task] = workflow.status?.tasks ?? [];
  const withTimeout = (timeout: number) => ({
    ...task,
    actions: task?.actions.map((one) => ({ ...one, timeout })),
  });
  const tasks = [withTimeout(0)];
  assert.equal(await timeoutOf({ tasks, globalTimeout: 600 }), 600n);
  assert.equal(await timeoutOf({ tasks: [withTimeout(7)], globalTimeout: 600 }), 7n);
  assert.equal(await timeoutOf({ tasks, globalTimeout: 0 }), 0n, 'there is no limit');
  const stop = new Date(nodeClock.nowMs() + 100_000).toISOString();
  const left = await timeoutOf({ tasks, globalTimeout: 600, globalExecutionStop: stop });
  assert.ok(left > 0n && left <= 101n, String(left));
});

/** One cycle of upstream's agent: an action, RUNNING with Go's zero time, the end. */
async function turn(client: object, end: StateType): Promise<ActionResponse> {
  const action = await answerOf<ActionResponse>(client, 'getAction', { agentId });
  const { workflowId, taskId, actionId, name: actionName } = action;
  const report = { workflowId, taskId, actionId, actionName, agentId };
  await answerOf(client, 'reportActionStatus', {
    ...report,
    actionState: StateType.RUNNING,
    executionStart: { seconds: -62_135_596_800n, nanos: 0 },
    executionStop: { seconds: -62_135_596_800n, nanos: 0 },
    message: { message: 'running action' },
  });
  await answerOf(client, 'reportActionStatus', {
    ...report,
    actionState: end,
    executionStart: { seconds: 1_700_000_000n, nanos: 0 },
    executionStop: { seconds: 1_700_000_003n, nanos: 0 },
    executionDuration: '3s',
    message: { message: 'action completed' },
  });
  return action;
}

test('a current agent finishes a workflow of three actions', async () => {
  await using server = await runningServer();
  await server.putWorkflow(workflow);
  const client = server.client(serviceDefinition(WorkflowService));
  const names = [];
  for (let index = 0; index < 3; index++) names.push((await turn(client, StateType.SUCCESS)).name);
  assert.deepEqual(names, ['one', 'two', 'three']);
  const after = await server.status();
  assert.equal(after?.state, 'POST');
  assert.deepEqual(
    after.tasks?.[0]?.actions.map((one) => [one.state, one.executionDuration, one.executionStop]),
    names.map(() => ['SUCCESS', '3s', '2023-11-14T22:13:23.000Z']),
  );
});

const EXITS = [status.NOT_FOUND, status.INVALID_ARGUMENT, status.FAILED_PRECONDITION];

test('upstream agents never exit on a final report of a known action, whatever the state of the workflow', async (context) => {
  const known = { workflowId: 'default/w', taskId: 'w-1', agentId };
  const finals = [StateType.SUCCESS, StateType.FAILED, StateType.TIMEOUT];
  for (const state of ['', 'PREPARING', 'PENDING', 'RUNNING', 'POST', 'SUCCESS', 'FAILED', 'TIMEOUT'])
    await context.test(`workflow in state "${state}"`, async () => {
      await using server = await runningServer();
      await server.putWorkflow(inState(state));
      const client = server.client(serviceDefinition(WorkflowService));
      for (const actionId of ['w-2', 'w-3', 'w-4'])
        for (const actionState of finals)
          await answerOf(client, 'reportActionStatus', { ...known, actionId, actionState }).catch((error) =>
            assert.ok(!EXITS.includes((error as { code: status }).code), String(error)),
          );
    });
});

test('the details of a report are truncated to a readable length', async () => {
  await using server = await runningServer();
  const environment = { ROOT_PASSWORD: 'hunter22' };
  await server.putWorkflow(pendingWorkflow([{ worker: agentId, actions: ['one'], environment }]));
  const client = server.client(serviceDefinition(WorkflowService));
  const { workflowId, taskId, actionId } = await answerOf<ActionResponse>(client, 'getAction', { agentId });
  await answerOf(client, 'reportActionStatus', {
    workflowId,
    taskId,
    actionId,
    agentId,
    actionState: StateType.FAILED,
    executionDuration: '1'.repeat(100_000),
    message: { message: `${'x'.repeat(8188)}hunter22${'x'.repeat(3_000_000)}` },
  });
  const action = (await server.status())?.tasks?.[0]?.actions[0];
  assert.equal(action?.state, 'FAILED');
  assert.equal(action.message, `${'x'.repeat(8188)}***x`);
  assert.equal(action.executionDuration?.length, 64);
});
