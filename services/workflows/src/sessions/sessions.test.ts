/** Tests the protocol of our own agent: sessions, orders and reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { AgentService } from '@tinkerbell/api/agent-v1';
import { WorkflowService } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { answerOf, eventually, hasCode, runningServer } from '../testing/running-server.ts';
import { attemptIn, runningAgent, sessionAgent } from '../testing/session-agent.ts';
import { pendingWorkflow } from '../testing/workflows.ts';

const agentId = '52:54:00:00:00:01';
const workflow = pendingWorkflow([{ worker: agentId, actions: ['one', 'two', 'three'] }]);

test('an agent finishes a workflow of three actions that the server sends', async () => {
  await using server = await runningServer();
  const agent = await sessionAgent(server, agentId);
  const actions = agent.actions();
  assert.deepEqual((await actions.next())?.value, {
    $typeName: 'tinkerbell.agent.v1.Idle',
    reason: 'no Workflows found',
  });
  await server.putWorkflow(workflow);
  const names = [];
  for (let index = 0; index < 3; index++) {
    const start = await actions.start();
    names.push(start.action?.name);
    await agent.report(attemptIn(start), 'RUNNING');
    const { outcome } = await agent.report(attemptIn(start), 'SUCCESS');
    assert.equal(outcome, 1);
  }
  assert.deepEqual(names, ['one', 'two', 'three']);
  assert.equal((await server.status())?.state, 'POST');
  assert.deepEqual(await actions.next().then((order) => order?.case), 'idle', 'and no cancellation');
});

test('the session that got an action is in the timeline', async () => {
  await using server = await runningServer();
  await server.putWorkflow(workflow);
  const agent = await sessionAgent(server, agentId);
  await agent.actions().start();
  const [served] = await server.records('action-served');
  assert.equal(served?.details?.['session'], agent.sessionId);
});

test('a newer session fences the older, whose reports are recorded and refused', async () => {
  await using server = await runningServer();
  await server.putWorkflow(workflow);
  const zombie = await sessionAgent(server, agentId);
  const start = await zombie.actions().start();
  await zombie.report(attemptIn(start), 'RUNNING');
  const agent = await sessionAgent(server, agentId);
  const error = await eventually(() => zombie.errors[0]);
  assert.equal(error.code, status.ABORTED);
  const again = await agent.actions().start();
  assert.equal(again.attempt, 2);
  await assert.rejects(
    zombie.report(attemptIn(start), 'SUCCESS'),
    hasCode(status.ABORTED, /^fenced: a newer/),
  );
  assert.equal((await server.status())?.tasks?.[0]?.actions[0]?.state, 'RUNNING');
  const [refused] = await server.records('report-refused');
  assert.match(refused?.message ?? '', /SUCCESS of task-1 \/ one changes nothing: fenced/);
  assert.equal(server.counter('tink_server_agent_sessions_fenced_total'), 1);
  assert.equal(server.counter('tink_server_reports_total{outcome="fenced"}'), 1);
  await agent.report(attemptIn(again), 'RUNNING');
  await agent.report(attemptIn(again), 'SUCCESS');
});

test("an upstream agent's GetAction fences a session too", async () => {
  await using server = await runningServer();
  await server.putWorkflow(workflow);
  const agent = await sessionAgent(server, agentId);
  agent.actions();
  const upstream = server.client(serviceDefinition(WorkflowService));
  await answerOf(upstream, 'getAction', { agentId });
  assert.equal((await eventually(() => agent.errors[0])).code, status.ABORTED);
});

test('a report of an attempt that has ended is acknowledged and changes nothing, also when repeated', async () => {
  await using server = await runningServer();
  const { agent, attempt } = await runningAgent(server, workflow, agentId);
  assert.equal((await agent.report(attempt, 'SUCCESS')).outcome, 1);
  const repeated = await agent.report(attempt, 'SUCCESS');
  assert.deepEqual([repeated.outcome, repeated.reason], [2, 'already-reported']);
});

test('a stream that breaks during an action does not start it again', async () => {
  await using server = await runningServer();
  const { agent, actions: broken, attempt } = await runningAgent(server, workflow, agentId);
  broken.cancel();
  const actions = agent.actions(attempt);
  await agent.report(attempt, 'SUCCESS');
  assert.equal((await actions.start()).action?.name, 'two');
  assert.equal((await server.status())?.tasks?.[0]?.actions[0]?.attempt, 1);
});

test('an operator who cancels or deletes the workflow stops the action', async () => {
  await using server = await runningServer();
  const { agent, actions, attempt } = await runningAgent(server, workflow, agentId);
  await server.apply({ kind: 'cancel', who: 'ann', why: 'wrong disk' } as never);
  const order = await actions.next();
  assert.equal(order?.case, 'cancel');
  const { reason = '' } = order.value as { reason?: string };
  assert.match(reason, /the workflow is FAILED: cancelled by ann: wrong disk/);
  assert.equal((await agent.report(attempt, 'FAILED')).outcome, 2);
  await server.deleteWorkflow();
  await server.putWorkflow(pendingWorkflow([{ worker: agentId, actions: ['next'] }], undefined, 'x'));
  await actions.start();
  await server.deleteWorkflow('x');
  assert.equal((await actions.next())?.case, 'cancel');
});

test('a silent agent is reported while its action runs, and so is its return', async () => {
  await using server = await runningServer({ silenceMs: 40 });
  const { agent } = await runningAgent(server, workflow, agentId);
  const [record] = await eventually(async () => {
    const found = await server.records('agent-silent');
    return found.length > 0 ? found : undefined;
  });
  assert.match(record?.message ?? '', /no message from agent 52:54:00:00:00:01/);
  assert.equal(server.counter('tink_server_agents_silent'), 1);
  assert.equal((await server.status())?.state, 'RUNNING');
  agent.output().send({ case: 'heartbeat', value: {} });
  await eventually(() => (server.counter('tink_server_agents_silent') === 0 ? true : undefined));
  assert.equal(server.counter('tink_server_agents_connected'), 1);
});

test('the server asks for three heartbeats in the time after which it counts as silent', async () => {
  for (const seconds of [9, 60]) {
    await using server = await runningServer({ silenceMs: seconds * 1000 });
    const { limits } = await sessionAgent(server, agentId);
    assert.equal(limits?.silenceSeconds, seconds);
    assert.equal(limits.heartbeatSeconds, seconds / 3);
  }
});

test('a newcomer that is refused because of many others is considered again later', async () => {
  const rate = { burst: 1, perSecond: 1 };
  const autoDiscovery = { namespace: 'default', enrollmentEnabled: false, requireApproval: false, rate };
  await using server = await runningServer({ autoDiscovery, holdMs: 20 });
  const agents = [agentId, '52:54:00:00:00:02'].map((id) => sessionAgent(server, id));
  for (const agent of await Promise.all(agents)) agent.actions();
  const discovered = 'tink_server_auto_discovery_total{result="discovered"}';
  await eventually(() => (server.counter(discovered) === 2 ? true : undefined));
  assert.ok(server.counter('tink_server_auto_discovery_total{result="rate"}') > 0);
});

const good = { workflowId: 'default/w', taskId: 'w-1', actionId: 'w-2', agentId, actionState: 2 };
const refusals: readonly [string, string, object, status, RegExp][] = [
  ['Hello without an id', 'hello', {}, status.INVALID_ARGUMENT, /^invalid Agent ID$/],
  [
    'Hello with a long id',
    'hello',
    { agentId: 'x'.repeat(254) },
    status.INVALID_ARGUMENT,
    /^invalid Agent ID$/,
  ],
  ['no session', 'report', { status: good, attempt: 1 }, status.UNAUTHENTICATED, /send Hello/],
  ['no report', 'report', { session: true }, status.INVALID_ARGUMENT, /^invalid workflow id$/],
  ['no attempt', 'report', { session: true, status: good }, status.INVALID_ARGUMENT, /^invalid attempt$/],
  [
    "another's session",
    'report',
    { session: true, status: { ...good, agentId: 'other' }, attempt: 1 },
    status.PERMISSION_DENIED,
    /is that of agent/,
  ],
  [
    'an unknown action',
    'report',
    { session: true, status: { ...good, actionId: 'x' }, attempt: 1 },
    status.NOT_FOUND,
    /^action not found$/,
  ],
  [
    "another workflow's task",
    'report',
    { session: true, status: { ...good, taskId: 'x-1', actionState: 4 }, attempt: 1 },
    status.INVALID_ARGUMENT,
    /^task_id "x-1"/,
  ],
  [
    'a start that must not happen',
    'report',
    { session: true, status: { ...good, actionId: 'w-3' }, attempt: 1 },
    status.FAILED_PRECONDITION,
    /must not start/,
  ],
];

test('refuses with the right codes', async (context) => {
  await using server = await runningServer();
  await server.putWorkflow(workflow);
  const { sessionId } = await sessionAgent(server, agentId);
  const client = server.client(serviceDefinition(AgentService));
  for (const [name, method, { session = false, ...fields }, code, text] of refusals as readonly [
    string,
    string,
    { session?: boolean },
    status,
    RegExp,
  ][])
    await context.test(name, () =>
      assert.rejects(
        answerOf(client, method, { ...fields, ...(session ? { sessionId } : {}) }),
        hasCode(code, text),
      ),
    );
});
