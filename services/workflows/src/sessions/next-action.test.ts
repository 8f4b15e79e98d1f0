import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RpcError } from '../grpc/rpc-error.ts';
import { eventually, runningServer } from '../testing/running-server.ts';
import { attemptIn, runningAgent, sessionAgent } from '../testing/session-agent.ts';
import { pendingWorkflow } from '../testing/workflows.ts';
import { writesOf } from '../testing/writes.ts';
import { nextActionEvent } from './next-action.ts';

const agentId = '52:54:00:00:00:01';
const workflow = pendingWorkflow([{ worker: agentId, actions: ['one', 'two', 'three'] }]);

test('the next action is assigned in the write that records a success', async () => {
  await using server = await runningServer();
  const { agent, actions, attempt } = await runningAgent(server, workflow, agentId);
  const writes = await writesOf(server);
  await agent.report(attempt, 'SUCCESS');
  const next = await actions.start();
  assert.deepEqual([next.action?.name, next.attempt], ['two', 1]);
  await agent.report(attemptIn(next), 'RUNNING');
  assert.deepEqual(writes, ['SUCCESS 1, PENDING 1, PENDING 0', 'SUCCESS 1, RUNNING 1, PENDING 0']);
  const served = await server.records('action-succeeded', 'action-served');
  assert.deepEqual(
    served.map(({ event, details }) => [event, details?.['action'], details?.['session'] === undefined]),
    [
      ['action-served', 'one', false],
      ['action-succeeded', 'one', true],
      ['action-served', 'two', false],
    ],
  );
  assert.equal(server.counter('tink_server_next_action_seconds_count'), 1);
});

test('a report assigns nothing while the agent has no stream of actions', async () => {
  await using server = await runningServer();
  const { agent, actions: broken, attempt } = await runningAgent(server, workflow, agentId);
  broken.cancel();
  await eventually(() => (server.counter('tink_server_agents_connected') === 0 ? true : undefined));
  const writes = await writesOf(server);
  await agent.report(attempt, 'SUCCESS');
  assert.deepEqual(writes, ['SUCCESS 1, PENDING 0, PENDING 0']);
  assert.equal((await agent.actions().start()).action?.name, 'two');
});

test('a report assigns nothing in a paused workflow, which continues when it is resumed', async () => {
  await using server = await runningServer();
  const { agent, actions, attempt } = await runningAgent(server, workflow, agentId);
  await server.apply({ kind: 'pause', who: 'ann', why: 'lunch' } as never);
  const writes = await writesOf(server);
  await agent.report(attempt, 'SUCCESS');
  assert.equal((await actions.next())?.case, 'idle');
  assert.deepEqual(writes, ['SUCCESS 1, PENDING 0, PENDING 0']);
  await server.apply({ kind: 'resume', who: 'ann', why: 'back' } as never);
  assert.equal((await actions.start()).action?.name, 'two');
});

test('an action of another agent is not assigned with a report', async () => {
  await using server = await runningServer();
  const other = '52:54:00:00:00:02';
  const shared = pendingWorkflow([
    { worker: agentId, actions: ['one'] },
    { worker: other, actions: ['two'] },
  ]);
  const { agent, attempt } = await runningAgent(server, shared, agentId);
  const writes = await writesOf(server);
  await agent.report(attempt, 'SUCCESS');
  assert.deepEqual(writes, ['SUCCESS 1, PENDING 0']);
  const second = await sessionAgent(server, other);
  assert.equal((await second.actions().start()).action?.name, 'two');
});

test('a caller that may get no action is assigned none', async () => {
  const admit = () => Promise.reject(new RpcError('unauthenticated', 'expired'));
  const untouched = { view: {}, door: {} } as never;
  const event = await nextActionEvent(untouched, { agentId, admit } as never, {
    namespace: 'default',
    name: 'w',
  });
  assert.equal(event, undefined);
});
