import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { mac, startedController, type Controller } from './testing/started-controller.ts';

const template = `name: w
global_timeout: 60
tasks:
  - name: t
    worker: "{{.device_1}}"
    actions:
      - {name: a, image: img, environment: {DISK: {{ index .Hardware.Disks 0 }}}}
`;

async function putAll(controller: Controller, workflow: object = {}): Promise<void> {
  await controller.put('Hardware', 'h', {
    spec: { disks: [{ device: '/dev/vda' }], interfaces: [{ dhcp: { mac }, netboot: { allowPXE: false } }] },
  });
  await controller.put('Template', 't', { spec: { data: template } });
  await controller.put('Workflow', 'w', {
    spec: { templateRef: 't', hardwareRef: 'h', hardwareMap: { device_1: mac }, ...workflow },
  });
}

test('renders a new workflow and makes it pending for its agent', async () => {
  await using controller = await startedController();
  await putAll(controller);
  const status = await controller.until((one) => one.state === 'PENDING');
  assert.equal(status.agentID, mac);
  assert.match(status.tasks?.[0]?.actions[0]?.id ?? '', /^[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.deepEqual(status.tasks?.[0]?.actions[0]?.environment, { DISK: '/dev/vda' });
});

test('reports missing objects, and renders as soon as they exist', async () => {
  await using controller = await startedController();
  await controller.put('Workflow', 'w', {
    spec: { templateRef: 't', hardwareRef: 'h', hardwareMap: { device_1: mac } },
  });
  const waiting = await controller.until((one) => one.templateRendering === 'failed');
  assert.deepEqual(
    [waiting.state, waiting.conditions?.[0]?.message],
    [undefined, 'template not found: default/t'],
  );
  await controller.put('Template', 't', { spec: { data: template } });
  await controller.until((one) => one.conditions?.[0]?.message === 'hardware not found: default/h');
  await controller.put('Hardware', 'h', { spec: {} });
  const failed = await controller.until((one) =>
    /error rendering template/.test(one.conditions?.[0]?.message ?? ''),
  );
  assert.match(failed.conditions?.[0]?.message ?? '', /index out of range/);
  await controller.put('Hardware', 'h', { spec: { disks: [{ device: '/dev/vda' }] } });
  await controller.until((one) => one.state === 'PENDING');
});

test('sets the agent of a disabled workflow and does nothing else until it is enabled', async () => {
  await using controller = await startedController();
  await putAll(controller, { disabled: true });
  const named = await controller.until((one) => one.agentID !== undefined);
  assert.deepEqual(named, { agentID: mac });
  controller.time.advance(60_000);
  await new Promise(setImmediate);
  assert.deepEqual(((await controller.get('Workflow', 'w')) as Workflow).status, { agentID: mac });
  await putAll(controller);
  await controller.until((one) => one.state === 'PENDING');
});

test('allows netboot before and disallows it after, if configured', async () => {
  await using controller = await startedController();
  await putAll(controller, { bootOptions: { toggleAllowNetboot: true } });
  const mayNetboot = async () =>
    ((await controller.get('Hardware', 'h')) as Hardware).spec?.interfaces?.[0]?.netboot?.allowPXE;
  const pending = await controller.until((one) => one.state === 'PENDING');
  assert.equal(await mayNetboot(), true);
  await controller.put('Workflow', 'w', {
    status: { ...pending, state: 'POST', currentState: { state: 'SUCCESS' } },
  });
  await controller.until((one) => one.state === 'SUCCESS');
  assert.equal(await mayNetboot(), false);
});

test("fails a boot mode of a machine without a BMC, in upstream's words", async () => {
  await using controller = await startedController();
  await putAll(controller, { bootOptions: { bootMode: 'netboot' } });
  const failed = await controller.until((one) => one.state === 'FAILED');
  assert.equal(failed.conditions?.at(-1)?.message, 'error creating job: hardware "h" does not have a BMC');
});

test('ends a running workflow at its deadline, not before', async () => {
  await using controller = await startedController();
  await putAll(controller);
  const pending = await controller.until((one) => one.state === 'PENDING');
  const stop = new Date(controller.time.clock.nowMs() + 45_000).toISOString();
  await controller.put('Workflow', 'w', {
    status: { ...pending, state: 'RUNNING', globalExecutionStop: stop },
  });
  await new Promise(setImmediate);
  controller.time.advance(44_999);
  await new Promise(setImmediate);
  assert.equal(((await controller.get('Workflow', 'w')) as Workflow).status?.state, 'RUNNING');
  controller.time.advance(1);
  await controller.until((one) => one.state === 'TIMEOUT');
  const events = await controller.journal.read({ after: 0, workflows: ['default/w'] });
  assert.ok(events.some((one) => one.message === 'workflow is TIMEOUT' && one.machine === mac));
});

test('ends a workflow whose deadline passed while the server was down', async () => {
  const status = { state: 'RUNNING', agentID: mac, globalExecutionStop: '2001-01-01T00:00:00.000Z' };
  await using controller = await startedController([['Workflow', 'w', { status }]]);
  await controller.until((one) => one.state === 'TIMEOUT');
});

test('records a restart with every workflow that was running', async () => {
  await using controller = await startedController();
  await putAll(controller);
  const pending = await controller.until((one) => one.state === 'PENDING');
  await controller.put('Workflow', 'w', {
    status: { ...pending, state: 'RUNNING', currentState: { actionName: 'a' } },
  });
  await controller.startAnother();
  const restarted = (await controller.journal.read({ after: 0, workflows: ['default/w'] })).filter(
    (one) => one.event === 'server-restarted',
  );
  assert.deepEqual(
    restarted.map((one) => [one.machine, one.message]),
    [[mac, 'server restarted; the workflow continues at a']],
  );
});

test('renders a workflow of an older release again', async () => {
  await using controller = await startedController();
  await controller.put('Workflow', 'w', {
    spec: { templateRef: 't', hardwareRef: 'h', hardwareMap: { device_1: mac } },
    status: { state: 'STATE_PENDING' },
  });
  await putAll(controller);
  assert.equal((await controller.until((one) => one.state === 'PENDING')).agentID, mac);
});

test('assigns an action again after its backoff', async () => {
  await using controller = await startedController();
  await putAll(controller);
  const pending = await controller.until((one) => one.state === 'PENDING');
  const [task] = pending.tasks ?? [];
  assert.ok(task !== undefined);
  const notBefore = new Date(controller.time.clock.nowMs() + 5000).toISOString();
  const actions = task.actions.map((one) => ({ ...one, notBefore, attempt: 1, again: true }));
  await controller.put('Workflow', 'w', {
    status: { ...pending, state: 'RUNNING', tasks: [{ ...task, actions }] },
  });
  await controller.settled();
  controller.time.advance(4999);
  await controller.settled();
  const waiting = (await controller.until(() => true)).tasks?.[0]?.actions[0];
  assert.equal(waiting?.notBefore, notBefore);
  controller.time.advance(1);
  await controller.until((one) => one.tasks?.[0]?.actions[0]?.notBefore === undefined);
});

test('reports why an action failed that its agent never reported', async () => {
  await using controller = await startedController();
  await putAll(controller);
  const pending = await controller.until((one) => one.state === 'PENDING');
  const [task] = pending.tasks ?? [];
  assert.ok(task !== undefined);
  const deadline = new Date(controller.time.clock.nowMs() + 1000).toISOString();
  const actions = task.actions.map((one) => ({ ...one, state: 'RUNNING', deadline, timeout: 5 }));
  await controller.put('Workflow', 'w', {
    status: {
      ...pending,
      state: 'RUNNING',
      tasks: [{ ...task, actions }],
      currentState: { actionID: actions[0]?.id ?? '' },
    },
  });
  await controller.settled();
  controller.time.advance(30_000);
  await controller.until((one) => one.state === 'TIMEOUT');
  const events = await controller.journal.read({ after: 0, workflows: ['default/w'] });
  assert.match(
    events.find((one) => one.message.startsWith('workflow is TIMEOUT'))?.message ?? '',
    /the agent did not report within the action's timeout of 5 s and 30 s more/,
  );
});

test('work that is over costs the periodic scan nothing, and a deadline needs no look before it', async () => {
  const ended = { status: { state: 'SUCCESS', agentID: mac } };
  await using controller = await startedController([
    ['Workflow', 'ended', ended],
    ['Workflow', 'other', ended],
  ]);
  await putAll(controller);
  const pending = await controller.until((one) => one.state === 'PENDING');
  const stop = new Date(controller.time.clock.nowMs() + 90_000).toISOString();
  await controller.put('Workflow', 'w', {
    status: { ...pending, state: 'RUNNING', globalExecutionStop: stop },
  });
  await new Promise(setImmediate);
  const reconciled = () => controller.counters()['controller_reconcile_total'] ?? Number.NaN;
  const before = reconciled();
  controller.time.advance(60_000);
  await new Promise(setImmediate);
  assert.equal(reconciled(), before);
  controller.time.advance(30_000);
  await controller.until((one) => one.state === 'TIMEOUT');
});
