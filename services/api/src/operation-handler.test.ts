/** Operator requests for workflows, over the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorVerbs } from '@tinkerbell/workflow';
import { base, startedApi } from './testing/started-api.ts';

const path = `${base}/workflows/w`;
const merge = { 'content-type': 'application/merge-patch+json' };
const action = (name: string, fields: object = {}) => ({
  id: `id-${name}`,
  name,
  image: 'img',
  state: 'PENDING',
  ...fields,
});

/** A workflow of two tasks: `t` with `a` and `b`, `u` with `b`. */
async function withWorkflow(status: object = {}) {
  const api = await startedApi();
  await api.call('POST', `${base}/hardware`, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm1' },
    spec: { interfaces: [{ dhcp: { mac: '52:54:00:00:00:01' } }] },
  });
  await api.call('POST', `${base}/workflows`, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w' },
    spec: { templateRef: 't', hardwareRef: 'm1' },
  });
  const tasks = [
    {
      id: 'id-t',
      name: 't',
      agentID: 'x',
      actions: [action('a', { attempt: 1, state: 'FAILED' }), action('b')],
    },
    { id: 'id-u', name: 'u', agentID: 'x', actions: [action('b', { id: 'id-c' })] },
  ];
  const patched = await api.call(
    'PATCH',
    `${path}/status`,
    { status: { state: 'FAILED', tasks, ...status } },
    merge,
  );
  assert.equal(patched.code, 200, JSON.stringify(patched.body));
  return api;
}

const pending = {
  state: 'PENDING',
  tasks: [{ id: 'id-t', name: 't', agentID: 'x', actions: [action('a'), action('b')] }],
};

test('answers a pause with the workflow, and records who and why in its timeline', async () => {
  await using api = await withWorkflow(pending);
  const body = { who: 'alice', why: 'the switch is being replaced' };
  const { code, body: paused } = await api.call('POST', `${path}/pause`, body, { 'x-remote-user': 'root' });
  assert.deepEqual([code, paused.kind, paused.status.paused], [200, 'Workflow', true]);
  const { time: _, ...operation } = paused.status.operations[0];
  assert.deepEqual(operation, { verb: 'pause', who: 'alice (from 127.0.0.1)', why: body.why });
  const [record] = await api.journal.read({ after: 0, workflows: ['default/w'] });
  assert.deepEqual(
    [record?.event, record?.source, record?.machine],
    ['operator-pause', 'workflow', '52:54:00:00:00:01'],
  );
  assert.equal(record?.message, 'paused by alice (from 127.0.0.1): the switch is being replaced');
  assert.deepEqual(record?.details, { who: 'alice (from 127.0.0.1)', why: body.why });
});

test('answers a request without effect with the unchanged workflow and a warning', async () => {
  await using api = await withWorkflow(pending);
  for (const [verb, body] of [
    ['pause', {}],
    ['resume', {}],
    ['breakpoint', { action: 'b' }],
    ['breakpoint', { action: 'b', set: false }],
    ['cancel', {}],
  ] as const) {
    const first = await api.call('POST', `${path}/${verb}`, body);
    const again = await api.call('POST', `${path}/${verb}`, body);
    assert.deepEqual([first.code, again.code], [200, 200], verb);
    assert.equal(again.body.metadata.resourceVersion, first.body.metadata.resourceVersion, verb);
    assert.match(again.headers.get('warning') ?? '', /^299 - "/, verb);
    assert.equal(first.headers.get('warning'), null, verb);
  }
});

test('each verb performs its operation of the state machine', async () => {
  await using api = await withWorkflow();
  const edited = await api.call('POST', `${path}/edit`, {
    action: 'a',
    image: 'other:v2',
    command: ['x'],
    timeout: 5,
  });
  assert.deepEqual(
    [edited.body.status.tasks[0].actions[0].image, edited.body.status.tasks[0].actions[0].timeout],
    ['other:v2', 5],
  );
  const stopped = await api.call('POST', `${path}/breakpoint`, { task: 'u', action: 'b' });
  assert.equal(stopped.body.status.tasks[1].actions[0].breakpoint, true);
  const retried = await api.call('POST', `${path}/retry`);
  assert.deepEqual(
    [retried.body.status.state, retried.body.status.tasks[0].actions[0].state],
    ['PENDING', 'PENDING'],
  );
  const skipped = await api.call('POST', `${path}/skip`, { action: 'a', who: 'bob' });
  assert.equal(skipped.body.status.tasks[0].actions[0].message, 'skipped by bob (from 127.0.0.1)');
  const cancelled = await api.call('POST', `${path}/cancel`, { why: 'wrong machine' });
  assert.equal(cancelled.body.status.state, 'FAILED');
  const again = await api.call('POST', `${path}/retry`, { from: { task: 't', action: 'a' } });
  assert.equal(again.body.status.state, 'PENDING', JSON.stringify(again.body));
  const events = await api.journal.read({ after: 0, workflows: ['default/w'] });
  assert.deepEqual(
    events.map((one) => `${one.event}: ${one.message}`),
    [
      'operator-edit: t / a edited by anonymous (from 127.0.0.1)',
      'operator-breakpoint: u / b breakpoint set by anonymous (from 127.0.0.1)',
      'operator-retry: retried by anonymous (from 127.0.0.1)',
      'state-changed: workflow is PENDING',
      'operator-skip: t / a skipped by bob (from 127.0.0.1)',
      'operator-cancel: cancelled by anonymous (from 127.0.0.1): wrong machine',
      'state-changed: workflow is FAILED',
      'operator-retry: t / a retried by anonymous (from 127.0.0.1)',
      'state-changed: workflow is PENDING',
    ],
  );
});

test('a rejection has the reason and advice', async () => {
  await using api = await withWorkflow();
  const cases: [verb: string, body: object, code: number, reason: string, field: string, says: RegExp][] = [
    [
      'pause',
      {},
      409,
      'Conflict',
      '',
      /cannot pause workflow "w": the workflow is finished \(FAILED\); retry it/,
    ],
    ['skip', { action: 'c' }, 404, 'NotFound', 'action', /no such action; it has: t \/ a, t \/ b, u \/ b$/],
    ['skip', { action: 'b' }, 409, 'Conflict', 'task', /name the task too: t \/ a/],
    [
      'retry',
      { from: { task: 'u', action: 'b' } },
      409,
      'Conflict',
      '',
      /has not succeeded; retry from that one/,
    ],
    ['edit', { action: 'a', image: 'A B' }, 422, 'Invalid', 'image', /not a valid reference/],
  ];
  for (const [verb, body, code, reason, field, says] of cases) {
    const refused = await api.call('POST', `${path}/${verb}`, body);
    assert.deepEqual([refused.code, refused.body.kind, refused.body.reason], [code, 'Status', reason], verb);
    assert.match(refused.body.message, says);
    assert.equal(refused.body.details.causes[0].field, field);
  }
  const nothing = await api.call('POST', `${base}/workflows/none/pause`);
  assert.deepEqual([nothing.code, nothing.body.message], [404, 'workflows.tinkerbell.org "none" not found']);
  assert.equal((await api.call('GET', `${path}/pause`)).code, 405);
  assert.equal((await api.call('POST', `${base}/hardware/m1/pause`)).code, 404);
});

test('validates every field of a body, and names an invalid one', async () => {
  await using api = await withWorkflow();
  const cases: [verb: string, body: unknown, says: RegExp][] = [
    ['pause', { wyh: 'x' }, /wyh: unknown field "wyh"; did you mean "why"\?/],
    ['pause', { who: 'x'.repeat(129) }, /who: .*must be at most 128 characters/],
    ['pause', [], /: \[\]: must be an object|must be an object/],
    ['skip', {}, /action: is required/],
    ['skip', { action: 7 }, /action: 7: must be a string/],
    ['retry', { from: 'middle' }, /from: "middle": must be one of "failed", "start"/],
    ['retry', { from: {} }, /from\.action: is required/],
    ['retry', { from: 3 }, /from: 3: must be "failed", "start" or an object/],
    ['breakpoint', { action: 'a', set: 'no' }, /set: "no": must be a boolean/],
    ['edit', { action: 'a', command: ['x', 1] }, /command\[1\]: 1: must be a string/],
    ['edit', { action: 'a', environment: { A: 1 } }, /environment\.A: 1: must be a string/],
    ['edit', { action: 'a', timeout: -1 }, /timeout: -1: must be at least 0/],
    ['edit', { action: 'a', timeout: 1.5 }, /timeout: 1\.5: must be a whole number/],
    ['edit', { action: 'a', kind: 'cancel' }, /unknown field "kind"/],
  ];
  for (const [verb, body, says] of cases) {
    const refused = await api.call('POST', `${path}/${verb}`, body);
    assert.deepEqual([refused.code, refused.body.reason], [422, 'Invalid'], JSON.stringify(body));
    assert.match(refused.body.message, says);
    assert.ok(refused.body.details.causes.length > 0);
  }
  assert.equal((await api.call('POST', `${path}/pause`, '{')).code, 400);
});

test('a name with control characters becomes one plain line', async () => {
  await using api = await withWorkflow(pending);
  const { body } = await api.call('POST', `${path}/pause`, { who: 'a\u001b[2Jb', why: 'x\ny' });
  assert.deepEqual(
    [body.status.operations[0].who, body.status.operations[0].why],
    ['a [2Jb (from 127.0.0.1)', 'x y'],
  );
});

test('a dry run shows the result, and changes nothing', async () => {
  await using api = await withWorkflow(pending);
  const tried = await api.call('POST', `${path}/pause?dryRun=All`);
  assert.deepEqual([tried.code, tried.body.status.paused], [200, true]);
  assert.equal((await api.call('GET', path)).body.status.paused, undefined);
  assert.deepEqual(await api.journal.read({ after: 0 }), []);
});

test('two operators at once both succeed', async () => {
  await using api = await withWorkflow(pending);
  const answers = await Promise.all(
    ['a', 'b'].map((name) => api.call('POST', `${path}/breakpoint`, { action: name })),
  );
  assert.deepEqual(
    answers.map((one) => one.code),
    [200, 200],
  );
  const { body } = await api.call('GET', path);
  assert.deepEqual(
    body.status.tasks[0].actions.map((one: { breakpoint?: boolean }) => one.breakpoint),
    [true, true],
  );
});

test('discovery and OpenAPI list the verbs and the fields of their bodies', async () => {
  await using api = await startedApi();
  const { body: discovery } = await api.call('GET', '/apis/tinkerbell.org/v1alpha1');
  const { body: openApi } = await api.call('GET', '/openapi/v3/apis/tinkerbell.org/v1alpha1');
  for (const verb of operatorVerbs) {
    const resource = discovery.resources.find((one: { name: string }) => one.name === `workflows/${verb}`);
    assert.deepEqual(resource?.verbs, ['create'], verb);
    const item =
      openApi.paths[`/apis/tinkerbell.org/v1alpha1/namespaces/{namespace}/workflows/{name}/${verb}`];
    assert.ok('who' in item.post.requestBody.content['application/json'].schema.properties, verb);
  }
});
