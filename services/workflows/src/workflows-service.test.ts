import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { credentials, makeClientConstructor, status, type ServiceError } from '@grpc/grpc-js';
import {
  ActionRequestSchema,
  ActionStatusRequestSchema,
  StateType,
  WorkflowService,
  type ActionResponse,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Workflow, WorkflowStatus } from '@tinkerbell/resources';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { statusOf } from '@tinkerbell/workflow';
import { createWorkflowsService } from './index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const mac = '52:54:00:00:00:01';
const key = { collection: 'workflows.tinkerbell.org', namespace: 'default', name: 'w' };

function statusNow(): WorkflowStatus {
  const action = (name: string, environment: [string, string][] = []) => ({
    name,
    image: 'img',
    timeoutSeconds: 60,
    command: ['c'],
    volumes: ['/b:/b'],
    environment: new Map(environment),
    pid: '',
    namespaces: { network: '', pid: '' },
  });
  let ids = 0;
  const task = {
    name: 'task',
    worker: mac,
    volumes: ['/a:/a'],
    environment: new Map([
      ['A', '1'],
      ['B', '2'],
    ]),
    actions: [action('one', [['B', '3']]), action('two')],
  };
  return {
    ...statusOf({ name: 'w', globalTimeoutSeconds: 0, tasks: [task] }, () => `id-${++ids}`),
    state: 'PENDING',
  };
}

const workflow: Workflow = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'default' },
  spec: { hardwareRef: 'm1' },
  status: statusNow(),
};

async function startedServer(holdMs = 60_000) {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const service = createWorkflowsService(
    { store, view, journal, clock: nodeClock, random: nodeRandom, log },
    { address: '127.0.0.1', port: 0, holdMs },
  );
  await service.start(stopping.signal);
  const Client = makeClientConstructor(serviceDefinition(WorkflowService) as never, 'WorkflowService');
  const client = new Client(`127.0.0.1:${service.port()}`, credentials.createInsecure());
  const call = <Response>(method: string, request: object) =>
    new Promise<Response>((resolve, reject) => {
      client[method]?.(request, (error: ServiceError | null, response: Response) =>
        error === null ? resolve(response) : reject(error),
      );
    });
  return {
    store,
    journal,
    getAction: (agentId = mac) => call<ActionResponse>('getAction', create(ActionRequestSchema, { agentId })),
    report: (fields: MessageInitShape<typeof ActionStatusRequestSchema>) =>
      call(
        'reportActionStatus',
        create(ActionStatusRequestSchema, {
          workflowId: 'default/w',
          agentId: mac,
          taskId: 'id-1',
          ...fields,
        }),
      ),
    put: async (object: Workflow = workflow) =>
      assert.ok((await store.commit([{ operation: 'create', key, object }])).ok),
    status: async () => ((await store.get(key))?.object as Workflow | undefined)?.status,
    async [Symbol.asyncDispose]() {
      client.close();
      stopping.abort();
      await service.stopped();
      await journal.close();
    },
  };
}

function hasCode(code: status, message: RegExp): (error: ServiceError) => boolean {
  return (error) => error.code === code && message.test(error.details);
}

test('returns an action with the same fields as upstream', async () => {
  await using server = await startedServer();
  await server.put();
  const action = await server.getAction();
  assert.equal(action.workflowId, 'default/w');
  assert.equal(action.name, 'one');
  assert.equal(action.timeout, 60n);
  assert.deepEqual(action.environment, ['A=1', 'B=3']);
  assert.deepEqual(action.volumes, ['/a:/a', '/b:/b']);
  assert.equal(action.namespaces, undefined);
});

test('records the attempt before it answers', async () => {
  await using server = await startedServer();
  await server.put();
  await server.getAction();
  const status = await server.status();
  assert.equal(status?.tasks?.[0]?.actions[0]?.attempt, 1);
  assert.deepEqual(status.currentState, {
    agentID: mac,
    taskID: 'id-1',
    taskName: 'task',
    actionID: 'id-2',
    actionName: 'one',
    state: 'PENDING',
  });
});

test('answers a held call as soon as there is an action', async () => {
  await using server = await startedServer();
  const held = server.getAction();
  await server.put();
  assert.equal((await held).name, 'one');
});

test("answers with upstream's code when nothing arrives in time", async () => {
  await using server = await startedServer(1);
  await assert.rejects(server.getAction(), hasCode(status.NOT_FOUND, /^no Workflows found$/));
  await assert.rejects(server.getAction(''), hasCode(status.INVALID_ARGUMENT, /^invalid Agent ID$/));
});

test('accepts a whole run from the first action to POST', async () => {
  await using server = await startedServer();
  await server.put();
  for (const actionId of ['id-2', 'id-3']) {
    assert.equal((await server.getAction()).actionId, actionId);
    // Upstream's agent sends Go's zero time with a start.
    await server.report({
      actionId,
      actionState: StateType.RUNNING,
      executionStart: { seconds: -62135596800n, nanos: 0 },
    });
    await server.report({
      actionId,
      actionState: StateType.SUCCESS,
      executionStart: { seconds: 1_700_000_000n, nanos: 0 },
      executionStop: { seconds: 1_700_000_003n, nanos: 0 },
      executionDuration: '3s',
      message: { message: 'action completed' },
    });
  }
  const after = await server.status();
  assert.equal(after?.state, 'POST');
  assert.equal(after.tasks?.[0]?.actions[1]?.executionStart, '2023-11-14T22:13:20.000Z');
});

test('serves an interrupted action again and records it', async () => {
  await using server = await startedServer();
  await server.put();
  await server.getAction();
  await server.report({ actionId: 'id-2', actionState: StateType.RUNNING });
  assert.equal((await server.getAction()).actionId, 'id-2');
  assert.equal((await server.status())?.tasks?.[0]?.actions[0]?.attempt, 2);
  const events = (await server.journal.read({ after: 0, workflows: ['default/w'] })).map(
    (record) => record.event,
  );
  assert.ok(events.includes('action-served-again'), events.join());
});

test('acknowledges repeated and late reports without changing anything', async () => {
  await using server = await startedServer();
  await server.put();
  await server.getAction();
  await server.report({
    actionId: 'id-2',
    actionState: StateType.FAILED,
    message: { message: 'disk is full' },
  });
  const failed = await server.status();
  assert.equal(failed?.state, 'FAILED');
  await server.report({ actionId: 'id-2', actionState: StateType.FAILED });
  await server.report({ actionId: 'id-2', actionState: StateType.SUCCESS });
  assert.deepEqual(await server.status(), failed);
  const refused = (await server.journal.read({ after: 0 })).filter(
    (record) => record.event === 'report-refused',
  );
  assert.equal(refused.length, 1);
  assert.match(refused[0]?.message ?? '', /SUCCESS of task \/ one changes nothing: workflow-finished/);
});

test('records that a failed action is retried, and refuses to start it too early', async () => {
  await using server = await startedServer(1);
  const { tasks = [], ...rest } = statusNow();
  const actions = tasks[0]?.actions.map((one) => ({ ...one, retries: 1 })) ?? [];
  await server.put({ ...workflow, status: { ...rest, tasks: tasks.map((task) => ({ ...task, actions })) } });
  await server.getAction();
  await server.report({ actionId: 'id-2', actionState: StateType.RUNNING });
  await server.report({
    actionId: 'id-2',
    actionState: StateType.FAILED,
    message: { message: 'no route' },
  });
  const record = (await server.journal.read({ after: 0 })).find((one) => one.event === 'action-retried');
  assert.equal(record?.message, 'task / one: attempt 1 ended in FAILED: no route; retried after 5 s');
  await assert.rejects(server.getAction(), hasCode(status.FAILED_PRECONDITION, /backing-off/));
});

test('pauses instead of serving an interrupted action again, when its template requires that', async () => {
  await using server = await startedServer(1);
  const { tasks = [], ...rest } = statusNow();
  const actions = tasks[0]?.actions.map((one) => ({ ...one, onInterrupted: 'ask' as const })) ?? [];
  await server.put({ ...workflow, status: { ...rest, tasks: tasks.map((task) => ({ ...task, actions })) } });
  await server.getAction();
  await server.report({ actionId: 'id-2', actionState: StateType.RUNNING });
  await assert.rejects(server.getAction(), hasCode(status.FAILED_PRECONDITION, /interrupted|paused/));
  assert.equal((await server.status())?.paused, true);
});

test('refuses a start that must not happen, so that the agent does not execute', async () => {
  await using server = await startedServer();
  await server.put();
  await server.getAction();
  await assert.rejects(
    server.report({ actionId: 'id-3', actionState: StateType.RUNNING }),
    hasCode(status.FAILED_PRECONDITION, /action-not-current/),
  );
});

test("refuses and records a report with another workflow's task", async () => {
  await using server = await startedServer();
  await server.put();
  await server.getAction();
  const before = await server.status();
  for (const actionState of [StateType.RUNNING, StateType.SUCCESS, StateType.FAILED, StateType.TIMEOUT])
    await assert.rejects(
      server.report({ actionId: 'id-2', taskId: 'of-another', actionState }),
      hasCode(status.INVALID_ARGUMENT, /task_id "of-another".*"id-1"/),
    );
  assert.deepEqual(await server.status(), before);
  const records = (await server.journal.read({ after: 0 })).filter(({ event }) => event === 'report-refused');
  assert.deepEqual(
    records.map(({ details }) => details?.['reason']),
    Array(4).fill('another-task'),
  );
});

test('names the missing field of a report', async () => {
  await using server = await startedServer();
  await server.put();
  const running = { actionId: 'id-2', actionState: StateType.RUNNING };
  await assert.rejects(
    server.report({ ...running, workflowId: '' }),
    hasCode(status.INVALID_ARGUMENT, /^invalid workflow id$/),
  );
  await assert.rejects(
    server.report({ ...running, taskId: '' }),
    hasCode(status.INVALID_ARGUMENT, /^invalid task name$/),
  );
  await assert.rejects(
    server.report({ ...running, actionId: '' }),
    hasCode(status.INVALID_ARGUMENT, /^invalid action name$/),
  );
  await assert.rejects(
    server.report({ ...running, actionId: 'x' }),
    hasCode(status.NOT_FOUND, /^action not found$/),
  );
  await assert.rejects(
    server.report({ ...running, workflowId: 'default/none' }),
    hasCode(status.INTERNAL, /^error getting workflow/),
  );
  await server.report({ ...running, actionState: StateType.SUCCESS, workflowId: 'default/none' });
});

test('writes starts, progress and ends to the timeline', async () => {
  await using server = await startedServer();
  await server.put();
  await server.getAction();
  await server.report({
    actionId: 'id-2',
    actionState: StateType.RUNNING,
    message: { message: 'running action' },
  });
  await server.report({
    actionId: 'id-2',
    actionState: StateType.RUNNING,
    message: { message: '35 MiB of 67 MiB' },
  });
  await server.report({ actionId: 'id-2', actionState: StateType.SUCCESS });
  const events = (await server.journal.read({ after: 0 })).map((record) => record.event);
  assert.deepEqual(events, [
    'action-served',
    'action-started',
    'state-changed',
    'action-progressed',
    'action-succeeded',
  ]);
});

test('ends held calls when it stops', async () => {
  const server = await startedServer();
  const held = assert.rejects(server.getAction(), hasCode(status.UNAVAILABLE, /.*/));
  await new Promise(setImmediate);
  await server[Symbol.asyncDispose]();
  await held;
});
