import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import { createNodeLog, nodeRandom } from '@tinkerbell/platform-node';
import type { Hardware, Resource, Workflow, WorkflowStatus } from '@tinkerbell/resources';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { createControllerService } from './index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const collections: Readonly<Record<string, string>> = {
  Hardware: 'hardware.tinkerbell.org',
  Template: 'templates.tinkerbell.org',
  Workflow: 'workflows.tinkerbell.org',
};
const mac = '52:54:00:00:00:01';

/** Time moves only by `advance`, which runs what is due. */
function manualClock() {
  let now = 1_700_000_000_000;
  let tasks: { at: number; task: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    schedule(delayMs, task) {
      const entry = { at: now + delayMs, task };
      tasks.push(entry);
      return () => {
        tasks = tasks.filter((one) => one !== entry);
      };
    },
  };
  return {
    clock,
    advance(ms: number) {
      now += ms;
      const due = tasks.filter((one) => one.at <= now);
      tasks = tasks.filter((one) => one.at > now);
      for (const one of due) one.task();
    },
  };
}

async function startedController() {
  const time = manualClock();
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: time.clock, log });
  const view = createStoreView({ store, clock: time.clock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const start = async () => {
    const service = createControllerService({
      store,
      view,
      journal,
      clock: time.clock,
      random: nodeRandom,
      log,
    });
    await service.start(stopping.signal);
    return service;
  };
  const service = await start();
  const keyOf = (kind: string, name: string) => ({
    collection: collections[kind] ?? '',
    namespace: 'default',
    name,
  });
  async function put(kind: string, name: string, fields: object): Promise<void> {
    const key = keyOf(kind, name);
    const current = await store.get(key);
    const object: Resource = {
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind,
      metadata: { name, namespace: 'default' },
      ...current?.object,
      ...fields,
    };
    const write =
      current === undefined
        ? ({ operation: 'create', key, object } as const)
        : ({ operation: 'update', key, object, expectedRevision: current.revision } as const);
    assert.ok((await store.commit([write])).ok);
  }
  const get = async (kind: string, name: string) => (await store.get(keyOf(kind, name)))?.object;
  /** Waits until the workflow is as wanted; the test's own time limit ends a wait in vain. */
  async function until(wanted: (status: WorkflowStatus) => boolean): Promise<WorkflowStatus> {
    for (;;) {
      const status = ((await get('Workflow', 'w')) as Workflow | undefined)?.status ?? {};
      if (wanted(status)) return status;
      await new Promise(setImmediate);
    }
  }
  return {
    time,
    journal,
    startAnother: start,
    put,
    get,
    until,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await service.stopped();
      await journal.close();
    },
  };
}

type Controller = Awaited<ReturnType<typeof startedController>>;

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

test('says what is missing, and renders as soon as it is there', async () => {
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

test('leaves a disabled workflow alone until it is enabled', async () => {
  await using controller = await startedController();
  await putAll(controller, { disabled: true });
  controller.time.advance(60_000);
  await new Promise(setImmediate);
  assert.equal(((await controller.get('Workflow', 'w')) as Workflow).status, undefined);
  await putAll(controller);
  await controller.until((one) => one.state === 'PENDING');
});

test('allows netboot before and forbids it after, when asked to', async () => {
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
    [[mac, 'server started again; the workflow goes on at a']],
  );
});
