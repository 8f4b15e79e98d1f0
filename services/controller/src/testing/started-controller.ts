/** A controller upon a store in memory, with time that moves by hand. */
import assert from 'node:assert/strict';
import type { Clock } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import type { Resource, Workflow, WorkflowStatus } from '@tinkerbell/resources';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import type { ReferenceRules } from '@tinkerbell/template';
import { createControllerService } from '../index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const collections: Readonly<Record<string, string>> = {
  Hardware: 'hardware.tinkerbell.org',
  Template: 'templates.tinkerbell.org',
  Workflow: 'workflows.tinkerbell.org',
  Job: 'jobs.bmc.tinkerbell.org',
  Task: 'tasks.bmc.tinkerbell.org',
};
export const mac = '52:54:00:00:00:01';

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

/** `before` is what was stored before the controller started. */
export async function startedController(
  before: readonly (readonly [kind: string, name: string, fields: object])[] = [],
  referenceRules: ReferenceRules = { deny: [], allow: [] },
) {
  const time = manualClock();
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: time.clock, log });
  const view = createStoreView({ store, clock: time.clock, log });
  const renderer = createWorkerRenderer(nodeClock, log);
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const start = async () => {
    const service = createControllerService({
      store,
      view,
      journal,
      renderer,
      referenceRules,
      clock: time.clock,
      random: nodeRandom,
      log,
    });
    await service.start(stopping.signal);
    return service;
  };
  const keyOf = (kind: string, name: string) => ({
    collection: collections[kind] ?? '',
    namespace: 'default',
    name,
  });
  async function put(kind: string, name: string, fields: object): Promise<void> {
    const key = keyOf(kind, name);
    const current = await store.get(key);
    const object: Resource = {
      apiVersion:
        kind === 'Job' || kind === 'Task' ? 'bmc.tinkerbell.org/v1alpha1' : 'tinkerbell.org/v1alpha1',
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
  for (const one of before) await put(...one);
  const service = await start();
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
    store,
    view,
    journal,
    startAnother: start,
    counters: () => samplesOf(service.metrics),
    put,
    get,
    until,
    /** Long enough for what is under way to come to rest, without time moving. */
    async settled(): Promise<void> {
      for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await service.stopped();
      await renderer.close();
      await journal.close();
    },
  };
}

export type Controller = Awaited<ReturnType<typeof startedController>>;

/** A BMC service that ends every Job at once, with this condition; the Jobs it saw, in order. */
export function instantBmc(
  controller: Controller,
  condition: 'Completed' | 'Failed' = 'Completed',
): string[] {
  const seen: string[] = [];
  controller.view.onChange(({ key, type, object }) => {
    if (key.collection !== collections['Job'] || type !== 'added') return;
    seen.push(`${key.name} ${JSON.stringify((object.spec as { tasks: unknown }).tasks)}`);
    const conditions = [{ type: condition, status: 'True', message: 'as told' }];
    void controller.put('Job', key.name, { status: { conditions } });
  });
  return seen;
}
