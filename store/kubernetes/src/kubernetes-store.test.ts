/** Against our own API, served over real connections. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createNodeHttp, createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import { createApiService } from '@tinkerbell/service-api';
import type { Change, Store } from '@tinkerbell/store-contract';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { accessFrom, openKubernetesStore } from './index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

/** An API of its own; it ends with the process, as it has no state. */
async function startedApi(changesKept: number) {
  const store = createMemoryStore({ changesKept });
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const renderer = createWorkerRenderer(nodeClock, log);
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const referenceRules = { deny: [], allow: [] };
  const deps = { store, view, journal, renderer, referenceRules, clock: nodeClock, random: nodeRandom, log };
  const service = createApiService(deps);
  await service.start(stopping.signal);
  const server = await createNodeHttp(log).listen(
    { port: 0, address: '127.0.0.1' },
    async (request, context) => {
      const { pathname } = new URL(request.url);
      const route = service.routes.find(({ prefix }) => pathname.startsWith(prefix));
      return (await route?.handle(request, context)) ?? new Response('nothing here', { status: 404 });
    },
  );
  return {
    url: `http://127.0.0.1:${server.local.port}`,
    async stop() {
      stopping.abort();
      await server.close(0);
      await renderer.close();
      await journal.close();
    },
  };
}

async function opened(changesKept = 1000): Promise<Store> {
  const api = await startedApi(changesKept);
  const store = await openKubernetesStore({ access: { url: api.url }, clock: nodeClock, log });
  const close = store.close.bind(store);
  let closing: Promise<void> | undefined;
  const closeBoth = () => (closing ??= close().then(() => api.stop()));
  return Object.assign(store, { close: closeBoth, [Symbol.asyncDispose]: closeBoth });
}

// What a watch has missed is told soon after it began, but not before its call returns.
storeSuite('kubernetes', ({ changesKept }) => opened(changesKept), [
  'refuses a watch from before the oldest change it keeps',
]);

test('refuses a watch from before the oldest change that the cluster keeps', async () => {
  await using store = await opened(10);
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: 'a' };
  const metadata = { name: 'a', namespace: 'default' };
  const object = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Template', metadata, spec: { data: 'x' } };
  for (let index = 0; index < 30; index++) {
    const name = `t${index}`;
    const named = { ...object, metadata: { ...metadata, name } };
    await store.commit([{ operation: 'create', key: { ...key, name }, object: named }]);
  }
  const seen: string[] = [];
  const handlers = { onChange: ({ key: { name } }: Change) => void seen.push(name), onEnd() {} };
  const old = await store.watch({ collection: key.collection, fromRevision: 1 }, handlers);
  assert.ok(!old.ok && old.reason === 'compacted');
  const fromRevision = (await store.revision()) - 2;
  assert.ok((await store.watch({ collection: key.collection, fromRevision }, handlers)).ok);
  while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(seen, ['t28', 't29']);
});

test('status and all else of a Workflow are written to where each is taken', async () => {
  await using store = await opened();
  const key = { collection: 'workflows.tinkerbell.org', namespace: 'default', name: 'w' };
  const metadata = { name: 'w', namespace: 'default' };
  const object = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata,
    spec: { templateRef: 't', hardwareRef: 'h', disabled: true },
  };
  const created = await store.commit([{ operation: 'create', key, object }]);
  assert.ok(created.ok);
  const before = await store.get(key);
  assert.ok(before !== undefined);
  const status = { state: 'PENDING', agentID: 'a' };
  const changed = { ...before.object, metadata: { ...before.object.metadata, labels: { a: 'b' } }, status };
  const updated = await store.commit([
    { operation: 'update', key, object: changed, expectedRevision: before.revision },
  ]);
  assert.ok(updated.ok, JSON.stringify(updated));
  const after = await store.get(key);
  assert.equal(after?.revision, updated.revision);
  assert.deepEqual(after.object.metadata.labels, { a: 'b' });
  assert.equal((after.object.status as { agentID?: string } | undefined)?.agentID, 'a');
});

test('a kubeconfig gives server, certificates and token of its current context; others are refused by name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-kubeconfig-'));
  const path = join(folder, 'config');
  const write = (user: string): string => {
    writeFileSync(
      path,
      `current-context: rack
contexts: [{name: other, context: {cluster: x, user: x}}, {name: rack, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443/", certificate-authority-data: Y2E=}}]
users: [{name: u, user: {${user}}}]
`,
    );
    return path;
  };
  writeFileSync(join(folder, 'token'), 'first\n');
  const access = accessFrom(write('tokenFile: token'), {});
  assert.deepEqual([access.url, access.ca, access.token?.()], ['https://10.0.0.1:6443', 'ca', 'first']);
  writeFileSync(join(folder, 'token'), 'second\n');
  assert.equal(access.token?.(), 'second');
  assert.equal(accessFrom(write('client-certificate-data: Yw==, client-key-data: aw=='), {}).key, 'k');
  assert.throws(() => accessFrom(write('exec: {command: aws}'), {}), /has a user with exec; a token/);
  assert.throws(() => accessFrom('', {}), /not in a pod .* --kubeconfig/);
  rmSync(folder, { recursive: true });
});
