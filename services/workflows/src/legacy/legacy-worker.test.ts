/** Tests the protocol of tink-worker v0.10, with a worker written from the contract. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, toBinary } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { ActionStatusRequestSchema, StateType } from '@tinkerbell/api/agent';
import { State, WorkflowActionStatusSchema } from '@tinkerbell/api/legacy-agent';
import { LegacyWorker } from '../testing/legacy-worker.ts';
import { eventually, hasCode, runningServer, type RunningServer } from '../testing/running-server.ts';
import { pendingWorkflow } from '../testing/workflows.ts';
import { decodeReport } from './report-dialect.ts';

const mac = '52:54:00:00:00:01';

async function serverWith(...workflow: Parameters<typeof pendingWorkflow>) {
  const server = await runningServer();
  await server.putWorkflow(pendingWorkflow(...workflow));
  const worker = new LegacyWorker(server.address(), mac);
  await eventually(async () => ((await worker.contexts()).length > 0 ? true : undefined));
  return {
    ...server,
    worker,
    actions: async () => (await server.status())?.tasks?.flatMap((task) => task.actions) ?? [],
    async [Symbol.asyncDispose]() {
      worker.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('finishes a workflow of three actions', async () => {
  await using server = await serverWith([{ worker: mac, actions: ['one', 'two', 'three'] }]);
  const executed: string[] = [];
  await server.worker.poll((action) => executed.push(action.name) > 0);
  assert.deepEqual(executed, ['one', 'two', 'three']);
  assert.equal((await server.status())?.state, 'POST');
  assert.deepEqual(
    (await server.actions()).map(({ state, attempt, message }) => [state, attempt, message]),
    [1, 2, 3].map(() => ['SUCCESS', 1, 'finished execution successfully']),
  );
  assert.deepEqual(await server.worker.contexts(), []);
});

test('returns contexts and actions as the worker expects them, without assigning anything', async () => {
  await using server = await serverWith([
    { worker: mac, actions: ['one', 'two'], environment: { TASK: 'yes', ACTION: 'overruled' } },
  ]);
  const [context] = await server.worker.contexts();
  const { $typeName: _, ...fields } = context ?? { $typeName: '' };
  assert.deepEqual(fields, {
    workflowId: 'default/w',
    currentWorker: mac,
    currentTask: 'task-1',
    currentAction: 'one',
    currentActionIndex: 0n,
    currentActionState: State.PENDING,
    totalNumberOfActions: 2n,
  });
  const { actionList } = await server.worker.actions('default/w');
  const [, two] = actionList;
  assert.deepEqual(
    { ...two },
    {
      $typeName: 'proto_legacy.WorkflowAction',
      taskName: 'task-1',
      name: 'two',
      image: 'quay.io/tinkerbell/actions/two:latest',
      timeout: 60n,
      command: ['run', 'two'],
      onTimeout: [],
      onFailure: [],
      workerId: mac,
      volumes: ['/task:/task', '/action:/action'],
      environment: ['ACTION=two', 'TASK=yes'],
      pid: 'host',
    },
  );
  assert.equal((await server.actions())[0]?.attempt, undefined, 'no attempt without a RUNNING report');
});

test('an action that fails ends the workflow', async () => {
  await using server = await serverWith([{ worker: mac, actions: ['one', 'two'] }]);
  await server.worker.poll((action) => action.name !== 'one');
  const after = await server.status();
  assert.equal(after?.state, 'FAILED');
  assert.equal(after.tasks?.[0]?.actions[0]?.message, 'exit status 1');
  assert.deepEqual(await server.worker.contexts(), []);
});

test('a restarted worker runs its action again, as a second attempt', async () => {
  await using server = await serverWith([{ worker: mac, actions: ['one', 'two'] }]);
  const dies = server.worker.poll((action) => {
    if (action.name === 'two') throw new Error('power cut');
    return true;
  });
  await assert.rejects(dies, /power cut/);
  assert.deepEqual(
    (await server.actions()).map(({ state, attempt }) => [state, attempt]),
    [
      ['SUCCESS', 1],
      ['RUNNING', 1],
    ],
  );
  const executed: string[] = [];
  await server.worker.poll((action) => executed.push(action.name) > 0);
  assert.deepEqual(executed, ['two']);
  assert.equal((await server.actions())[1]?.attempt, 2);
  assert.equal((await server.status())?.state, 'POST');
  const again = await server.records('action-served-again');
  assert.equal(again.length, 1);
});

test('workers of several machines take turns', async () => {
  const other = '52:54:00:00:00:02';
  await using server = await serverWith([
    { worker: mac, actions: ['one'] },
    { worker: other, actions: ['two'] },
    { worker: mac, actions: ['three'] },
  ]);
  const second = new LegacyWorker(server.address(), other);
  const executed: string[] = [];
  for (const worker of [second, server.worker, second, server.worker]) {
    await worker.poll((action) => executed.push(action.name) > 0);
    await new Promise(setImmediate);
  }
  second.close();
  assert.deepEqual(executed, ['one', 'two', 'three']);
});

test('a repeated or late report changes nothing', async () => {
  await using server = await serverWith([{ worker: mac, actions: ['one', 'two'] }]);
  const one = { taskName: 'task-1', name: 'one' };
  await server.worker.report('default/w', one, State.RUNNING, 'Started execution');
  await server.worker.report('default/w', one, State.RUNNING, 'Started execution');
  assert.equal((await server.actions())[0]?.attempt, 1);
  await server.worker.report('default/w', one, State.SUCCESS, '');
  const before = await server.status();
  await server.worker.report('default/w', one, State.SUCCESS, '');
  await server.worker.report('default/w', one, State.FAILED, 'late');
  assert.deepEqual(await server.status(), before);
});

const refusals: readonly [string, Parameters<LegacyWorker['report']>, status, RegExp][] = [
  ['no workflow', ['', {}, State.RUNNING, ''], status.INVALID_ARGUMENT, /^invalid workflow id$/],
  ['no task', ['default/w', {}, State.RUNNING, ''], status.INVALID_ARGUMENT, /^invalid task name$/],
  [
    'no action',
    ['default/w', { taskName: 'task-1' }, State.RUNNING, ''],
    status.INVALID_ARGUMENT,
    /^invalid action name$/,
  ],
  [
    'another task',
    ['default/w', { taskName: 'x', name: 'one' }, State.RUNNING, ''],
    status.INVALID_ARGUMENT,
    /^reported task name does not match the current action details$/,
  ],
  [
    'another action',
    ['default/w', { taskName: 'task-1', name: 'two' }, State.RUNNING, ''],
    status.INVALID_ARGUMENT,
    /^reported action name does not match the current action details$/,
  ],
  [
    'a start of an unknown workflow',
    ['default/x', { taskName: 'task-1', name: 'one' }, State.RUNNING, ''],
    status.NOT_FOUND,
    /no workflow default\/x/,
  ],
];

test("refuses with upstream's codes and texts", async (context) => {
  await using server: RunningServer & { worker: LegacyWorker } = await serverWith([
    { worker: mac, actions: ['one', 'two'] },
  ]);
  for (const [name, report, code, text] of refusals)
    await context.test(name, () => assert.rejects(server.worker.report(...report), hasCode(code, text)));
  const done = ['default/x', { taskName: 't', name: 'a' }, State.SUCCESS, ''] as const;
  await server.worker.report(...done);
});

test('distinguishes the reports of both protocols by their bytes', () => {
  const legacy = (fields: object) =>
    decodeReport(toBinary(WorkflowActionStatusSchema, create(WorkflowActionStatusSchema, fields))).dialect;
  const current = (fields: object) =>
    decodeReport(toBinary(ActionStatusRequestSchema, create(ActionStatusRequestSchema, fields))).dialect;
  const names = { workflowId: 'default/w', taskName: 't', actionName: 'a', workerId: mac };
  assert.equal(legacy({ ...names, actionStatus: State.RUNNING }), 'legacy');
  assert.equal(legacy({ ...names, message: 'pending' }), 'legacy');
  assert.equal(legacy({ ...names, seconds: 4n }), 'legacy');
  const ids = { workflowId: 'default/w', agentId: mac, taskId: 't' };
  assert.equal(current({ ...ids, actionId: 'a', actionState: StateType.RUNNING }), 'current');
  assert.equal(current({ ...ids, actionState: StateType.RUNNING }), 'current');
  assert.equal(current({ ...ids, actionName: 'a' }), 'current');
  assert.equal(current({ message: { message: 'only this' } }), 'current');
});
