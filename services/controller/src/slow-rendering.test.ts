import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenderOwner, TemplateRenderer } from '@tinkerbell/engine-rendering';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Resource, Workflow } from '@tinkerbell/resources';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { createControllerService } from './index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

test('endless templates of one namespace do not block the rendering of another', async () => {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const asked: (RenderOwner | undefined)[] = [];
  const renderer: TemplateRenderer = {
    workflow(_, owner) {
      asked.push(owner);
      if (owner?.namespace === 'slow') return new Promise(() => undefined);
      return Promise.resolve({ ok: false, message: 'rendered' });
    },
    texts: () => assert.fail(),
    check: () => assert.fail(),
    preview: () => assert.fail(),
    close: () => Promise.resolve(),
  };
  const put = async (kind: string, namespace: string, name: string, spec: object): Promise<void> => {
    const key = { collection: `${kind.toLowerCase()}s.tinkerbell.org`, namespace, name };
    const object = {
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind,
      metadata: { namespace, name },
      spec,
    } as Resource;
    assert.ok((await store.commit([{ operation: 'create', key, object }])).ok);
  };
  for (const namespace of ['slow', 'other']) await put('Template', namespace, 't', { data: 'x' });
  for (let i = 0; i < 100; i += 1) await put('Workflow', 'slow', `w${i}`, { templateRef: 't' });
  const referenceRules = { deny: [], allow: [] };
  const deps = { store, view, journal, renderer, referenceRules, clock: nodeClock, random: nodeRandom, log };
  const service = createControllerService(deps);
  await service.start(stopping.signal);
  while (asked.length < 60) await new Promise(setImmediate);
  await put('Workflow', 'other', 'w', { templateRef: 't' });
  const key = { collection: 'workflows.tinkerbell.org', namespace: 'other', name: 'w' };
  const isRendered = async (): Promise<boolean> =>
    ((await store.get(key))?.object as Workflow | undefined)?.status?.templateRendering === 'failed';
  while (!(await isRendered())) await new Promise(setImmediate);
  assert.deepEqual(asked.at(-1), { namespace: 'other', author: 'template t' });
  assert.ok(asked.length < 80, `${asked.length} renderings were asked for at once`);
  stopping.abort();
  await service.stopped();
  await journal.close();
});
