/** Tests which callers may act for an agent, in all three protocols. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { StateType, WorkflowService, type ActionResponse } from '@tinkerbell/api/agent';
import {
  AgentService,
  type ActionsResponse,
  type ExchangeResponse,
  type HelloResponse,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { State, WorkflowService as LegacyService } from '@tinkerbell/api/legacy-agent';
import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import type { Workflow } from '@tinkerbell/resources';
import { mac } from '@tinkerbell/wire';
import type { ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import { answerOf, eventually, hasCode, runningServer } from '../testing/running-server.ts';
import { pendingWorkflow } from '../testing/workflows.ts';

const AGENT = mac('52:54:00:00:00:01');
const OTHER = mac('52:54:00:00:00:02');
const CANARY = 'canary-4711';

function workflowOf(name = 'w', worker: string = AGENT): Workflow {
  const environment = { SECRET: CANARY };
  const made = pendingWorkflow([{ worker, actions: ['one', 'two'], environment }], undefined, name);
  return { ...made, metadata: { ...made.metadata, uid: `uid-${name}` } };
}

async function site(mode: AgentAuthMode) {
  const server = await runningServer({ holdMs: 50 }, mode);
  for (const [index, address] of [AGENT, OTHER].entries())
    await server.putHardware({
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind: 'Hardware',
      metadata: { name: `m${index + 1}`, namespace: 'default', uid: `uid-m${index + 1}` },
      spec: { interfaces: [{ dhcp: { mac: address } }] },
    });
  await server.putWorkflow(workflowOf());
  const current = server.client(serviceDefinition(WorkflowService));
  const legacy = server.client(serviceDefinition(LegacyService, WorkflowService.typeName));
  const ours = server.client(serviceDefinition(AgentService));
  const with_ = (session?: string): Metadata => {
    const metadata = new Metadata();
    if (session !== undefined) metadata.set('x-tinkerbell-session', session);
    return metadata;
  };
  const id = { workflowId: 'default/w', taskId: 'w-1', actionId: 'w-2', agentId: AGENT };
  return {
    server,
    ours,
    with_,
    exchange: (bootToken: string, agentId: string = AGENT) =>
      answerOf<ExchangeResponse>(ours, 'exchange', { agentId, bootToken }),
    async sessionOf(address = AGENT, uid?: string) {
      const { session } = await answerOf<ExchangeResponse>(ours, 'exchange', {
        agentId: address,
        bootToken: server.sessions.mint(address, uid),
      });
      return session;
    },
    get: (session?: string, agentId: string = AGENT) =>
      answerOf<ActionResponse>(current, 'getAction', { agentId }, with_(session)),
    report: (session: string | undefined, actionState: StateType, change: object = {}) =>
      answerOf<object>(current, 'reportActionStatus', { ...id, actionState, ...change }, with_(session)),
    legacyActions: (session?: string) =>
      answerOf<object>(legacy, 'getWorkflowActions', { workflowId: 'default/w' }, with_(session)),
    legacyReport: (session: string | undefined, workerId: string) => {
      const action = { workflowId: 'default/w', taskName: 'task-1', actionName: 'one' };
      const actionStatus = State.RUNNING;
      return answerOf<object>(
        legacy,
        'reportActionStatus',
        { ...action, workerId, actionStatus },
        with_(session),
      );
    },
    legacyContexts: (session?: string) =>
      new Promise<number>((resolve, reject) => {
        let count = 0;
        const call = (legacy as unknown as Streams)['getWorkflowContexts'](
          { workerId: AGENT },
          with_(session),
        );
        call.on('data', () => (count += 1));
        call.on('error', reject);
        call.on('end', () => resolve(count));
      }),
    hello: (session?: string, agentId: string = AGENT) =>
      answerOf<HelloResponse>(ours, 'hello', { agentId }, with_(session)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

type Streams = Record<
  'getWorkflowContexts' | 'actions',
  (request: object, metadata: Metadata) => ClientReadableStream<ActionsResponse>
> &
  Record<'output', (metadata: Metadata) => ClientDuplexStream<object, object>>;

const unauthenticated = (reason: string) => hasCode(status.UNAUTHENTICATED, new RegExp(`^${reason}: `));
const denied = (reason: string) => hasCode(status.PERMISSION_DENIED, new RegExp(`^${reason}: `));

test('required: without a session nothing is returned or accepted, whatever the protocol', async () => {
  await using stage = await site('required');
  for (const call of [
    () => stage.get(),
    () => stage.report(undefined, StateType.SUCCESS),
    () => stage.legacyActions(),
    () => stage.legacyContexts(),
    () => stage.legacyReport(undefined, AGENT),
    () => stage.legacyReport(undefined, ''),
    () => stage.hello(),
  ])
    await assert.rejects(call(), unauthenticated('no-token'));
  assert.equal(stage.server.counter('tink_server_agents_refused_total{reason="no-token"}'), 7);
  const [refused, ...more] = await stage.server.records('agent-refused');
  assert.equal(refused?.machine, AGENT);
  assert.equal(more.length, 0, 'one line in a minute');
  assert.equal((await stage.server.status())?.state, 'PENDING');
});

test('a session may make every call, for its own machine only', async () => {
  await using stage = await site('required');
  const session = await stage.sessionOf(AGENT, 'uid-w');
  const foreign = await stage.sessionOf(OTHER);
  for (const call of [
    () => stage.get(foreign),
    () => stage.report(foreign, StateType.SUCCESS),
    () => stage.legacyActions(foreign),
    () => stage.legacyContexts(foreign),
    () => stage.legacyReport(foreign, AGENT),
    () => stage.legacyReport(foreign, ''),
    () => stage.hello(foreign),
  ])
    await assert.rejects(call(), (error: ServiceError) => {
      assert.ok(!error.message.includes(CANARY));
      return denied('another-machine')(error);
    });
  assert.equal(await stage.legacyContexts(session), 1);
  assert.match(JSON.stringify(await stage.legacyActions(session), bigints), new RegExp(CANARY));
  assert.equal((await stage.get(session)).name, 'one');
  await stage.report(session, StateType.RUNNING);
  await stage.report(session, StateType.SUCCESS);
  assert.equal((await stage.get(session)).name, 'two');
});

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);

test('a boot token is exchanged once, and a refusal states the reason', async () => {
  await using stage = await site('optional');
  const bootToken = stage.server.sessions.mint(AGENT, undefined);
  await assert.rejects(stage.exchange(bootToken, OTHER), denied('another-machine'));
  assert.match((await stage.exchange(bootToken)).session, /^[\w-]{80,}$/);
  await assert.rejects(stage.exchange(bootToken), unauthenticated('replayed'));
  await assert.rejects(stage.exchange('x'), unauthenticated('invalid'));
  await using open = await site('off');
  await assert.rejects(open.exchange('x'), { code: status.UNIMPLEMENTED });
});

test('optional: upstream agents are admitted until their machine has a session', async () => {
  await using stage = await site('optional');
  assert.equal((await stage.get()).name, 'one');
  const session = await stage.sessionOf(AGENT, 'uid-w');
  await assert.rejects(stage.get(), unauthenticated('no-token'));
  await assert.rejects(stage.report(undefined, StateType.SUCCESS), unauthenticated('no-token'));
  await assert.rejects(stage.legacyReport(undefined, ''), unauthenticated('no-token'));
  assert.equal((await stage.get(session)).name, 'one');
});

test('a session ends with its workflow: reports are accepted for a while, and nothing can be read', async () => {
  await using stage = await site('required');
  const session = await stage.sessionOf();
  for (const [name, actionId] of [
    ['one', 'w-2'],
    ['two', 'w-3'],
  ]) {
    assert.equal((await stage.get(session)).name, name);
    await stage.report(session, StateType.RUNNING, { actionId });
    await stage.report(session, StateType.SUCCESS, { actionId });
  }
  await stage.report(session, StateType.SUCCESS, { actionId: 'w-3' });
  await stage.server.putWorkflow(workflowOf('v'));
  await assert.rejects(stage.get(session), unauthenticated('ended'));
  await assert.rejects(stage.legacyActions(session), unauthenticated('ended'));
  await assert.rejects(stage.legacyContexts(session), unauthenticated('ended'));
});

test('a session for one workflow cannot get or report any other', async () => {
  await using stage = await site('required');
  const session = await stage.sessionOf(AGENT, 'uid-w');
  await stage.server.putWorkflow(workflowOf('v'));
  assert.equal((await stage.get(session)).workflowId, 'default/w');
  await assert.rejects(
    stage.report(session, StateType.SUCCESS, { workflowId: 'default/v' }),
    denied('another-workflow'),
  );
  await stage.server.deleteWorkflow('w');
  await eventually(() => (stage.server.counter('tink_server_waiting_agents') === 0 ? true : undefined));
  await assert.rejects(stage.get(session), unauthenticated('ended'));
});

test('our own protocol: a stream sends nothing more once a newer boot has begun', async () => {
  await using stage = await site('required');
  const streams = stage.ours as unknown as Streams;
  const session = await stage.sessionOf();
  const { sessionId } = await stage.hello(session);
  await assert.rejects(
    new Promise((_, reject) => {
      streams.actions({ sessionId }, stage.with_()).on('error', reject).resume();
    }),
    unauthenticated('no-token'),
  );
  const call = streams.actions({ sessionId }, stage.with_(session));
  const orders: string[] = [];
  const ended = new Promise<ServiceError>((resolve) =>
    call.on('error', (error) => resolve(error as ServiceError)),
  );
  call.on('data', ({ order }: ActionsResponse) => orders.push(order.case ?? ''));
  await eventually(() => (orders.includes('start') ? true : undefined));
  await stage.sessionOf();
  await stage.server.apply({
    kind: 'action-reported',
    report: {
      agentId: AGENT,
      taskId: 'w-1',
      actionId: 'w-2',
      state: 'SUCCESS',
      executionDuration: '1s',
      message: '',
    },
  });
  assert.ok(unauthenticated('fenced')(await ended));
  assert.deepEqual(orders, ['start', 'cancel'], 'and no second start');
});

test('our own protocol: output and reports need the session too', async () => {
  await using stage = await site('required');
  const session = await stage.sessionOf();
  const { sessionId } = await stage.hello(session);
  const start = await stage.get(session).then(({ name }) => name);
  assert.equal(start, 'one');
  const again = await stage.hello(session);
  const output = (metadata: Metadata) =>
    new Promise((resolve, reject) => {
      const call = (stage.ours as unknown as Streams).output(metadata);
      call.on('data', resolve);
      call.on('error', reject);
      call.write({ sessionId: again.sessionId, payload: { case: 'heartbeat', value: {} } });
    });
  assert.notEqual(again.sessionId, sessionId);
  await assert.rejects(output(stage.with_()), unauthenticated('no-token'));
  assert.ok(await output(stage.with_(session)));
  const report = {
    sessionId: again.sessionId,
    attempt: 1,
    status: { workflowId: 'default/w', agentId: AGENT },
  };
  await assert.rejects(answerOf(stage.ours, 'report', report), unauthenticated('no-token'));
});

test('a claim that a trusted proxy has checked must be the agent id', async () => {
  const isTrusted = (address: string) => address === '127.0.0.1';
  for (const [claim, trusted, expected] of [
    [AGENT, isTrusted, 'let in'],
    ['525400000001', isTrusted, 'let in'],
    [AGENT.toUpperCase().replaceAll(':', '-'), isTrusted, 'let in'],
    [OTHER, isTrusted, 'claim'],
    ['', isTrusted, 'claim'],
    [AGENT, () => false, 'claim'],
  ] as const) {
    await using server = await runningServer({ holdMs: 1, agentClaim: { isTrusted: trusted } });
    const metadata = new Metadata();
    if (claim !== '') metadata.set('x-tinkerbell-claim', claim);
    const client = server.client(serviceDefinition(WorkflowService));
    const call = answerOf(client, 'getAction', { agentId: AGENT }, metadata);
    await assert.rejects(call, expected === 'claim' ? denied('claim') : { code: status.NOT_FOUND }, claim);
  }
});
