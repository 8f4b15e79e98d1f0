/** The next action of an agent of current upstream is assigned in the write that records its success. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { StateType, WorkflowService, type ActionResponse } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { answerOf, hasCode, runningServer, type RunningServer } from './testing/running-server.ts';
import { pendingWorkflow } from './testing/workflows.ts';
import { writesOf } from './testing/writes.ts';

const agentId = '52:54:00:00:00:01';
const workflow = pendingWorkflow([{ worker: agentId, actions: ['one', 'two', 'three'] }]);

function agentOf(server: RunningServer) {
  const client = server.client(serviceDefinition(WorkflowService));
  return {
    next: () => answerOf<ActionResponse>(client, 'getAction', { agentId }),
    report: ({ workflowId, taskId, actionId }: ActionResponse, actionState: StateType) =>
      answerOf(client, 'reportActionStatus', { workflowId, taskId, actionId, agentId, actionState }),
  };
}

/** Has a workflow whose first action is running. */
async function running(stored = workflow) {
  const server = await runningServer();
  await server.putWorkflow(stored);
  const agent = agentOf(server);
  const first = await agent.next();
  await agent.report(first, StateType.RUNNING);
  return { server, agent, first, writes: await writesOf(server) };
}

test('an agent that has reported a success gets its next action without another write', async () => {
  const { server, agent, first, writes } = await running();
  await using _ = server;
  await agent.report(first, StateType.SUCCESS);
  const second = await agent.next();
  assert.equal((await agent.next()).actionId, second.actionId);
  await agent.report(second, StateType.RUNNING);
  assert.equal(second.name, 'two');
  assert.deepEqual(writes, ['SUCCESS 1, PENDING 1, PENDING 0', 'SUCCESS 1, RUNNING 1, PENDING 0']);
  const served = await server.records('action-succeeded', 'action-served');
  assert.deepEqual(
    served.map(({ event, details }) => [event, details?.['action']]),
    [
      ['action-served', 'one'],
      ['action-succeeded', 'one'],
      ['action-served', 'two'],
    ],
  );
  assert.equal(server.counter('tink_server_next_action_seconds_count'), 1);
});

test('an action that another server has assigned is recorded as given, once', async () => {
  await using server = await runningServer();
  const [first] = workflow.status?.tasks ?? [];
  const tasks = [{ ...first, actions: first?.actions.map((one) => ({ ...one, attempt: 1 })) }];
  await server.putWorkflow({ ...workflow, status: { ...workflow.status, tasks } } as never);
  const writes = await writesOf(server);
  const agent = agentOf(server);
  for (let count = 0; count < 3; count += 1) assert.equal((await agent.next()).name, 'one');
  assert.deepEqual(writes, []);
  assert.equal((await server.records('action-served')).length, 1);
});

test('a failure assigns nothing, and neither does a success in a paused workflow', async () => {
  const { server, agent, first, writes } = await running();
  await using _ = server;
  await server.apply({ kind: 'pause', who: 'ann', why: 'lunch' } as never);
  await agent.report(first, StateType.SUCCESS);
  assert.equal(writes.at(-1), 'SUCCESS 1, PENDING 0, PENDING 0');
  await server.apply({ kind: 'resume', who: 'ann', why: 'back' } as never);
  const second = await agent.next();
  await agent.report(second, StateType.FAILED);
  assert.equal(writes.at(-1), 'SUCCESS 1, FAILED 1, PENDING 0');
});

test('an action of another agent is not assigned with a report', async () => {
  const other = '52:54:00:00:00:02';
  const { server, agent, first, writes } = await running(
    pendingWorkflow([
      { worker: agentId, actions: ['one'] },
      { worker: other, actions: ['two'] },
    ]),
  );
  await using _ = server;
  await agent.report(first, StateType.SUCCESS);
  assert.deepEqual(writes, ['SUCCESS 1, PENDING 0']);
});

test('an assigned action that its agent has not requested can still be paused, cancelled and edited', async () => {
  const { server, agent, first } = await running();
  await using _ = server;
  await agent.report(first, StateType.SUCCESS);
  await server.apply({ kind: 'edit', action: 'two', image: 'img:2', who: 'ann', why: 'typo' } as never);
  const second = await agent.next();
  assert.equal(second.image, 'img:2');
  await server.apply({ kind: 'edit', action: 'two', image: 'img:3', who: 'ann', why: 'typo' } as never);
  await assert.rejects(
    agent.report(second, StateType.RUNNING),
    hasCode(status.FAILED_PRECONDITION, /must not start: attempt-over/),
  );
  assert.equal((await agent.next()).image, 'img:3');
  await server.apply({ kind: 'cancel', who: 'ann', why: 'enough' } as never);
  await assert.rejects(agent.report(second, StateType.RUNNING), hasCode(status.FAILED_PRECONDITION, /.*/));
});

test('what another server has written since is read before an assigned action is given', async () => {
  const { server, agent, first, writes } = await running();
  await using _ = server;
  await agent.report(first, StateType.SUCCESS);
  const get = server.store.get.bind(server.store);
  server.store.get = async (key) => {
    const stored = await get(key);
    const behind = { ...stored?.object.metadata, resourceVersion: '1' };
    return stored && { ...stored, object: { ...stored.object, metadata: behind } as never };
  };
  await agent.next();
  assert.equal(writes.length, 2, 'it is assigned as if it had not been');
});
