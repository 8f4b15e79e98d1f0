/** Tests the store with our own API, served over real connections. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Change, Store } from '@tinkerbell/store-contract';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import { accessFrom, openKubernetesStore } from './index.ts';
import { log, startedApi } from './testing/started-api.ts';

async function opened(changesKept = 1000): Promise<Store> {
  const api = await startedApi({ changesKept });
  const store = await openKubernetesStore({
    access: { url: api.url },
    clock: nodeClock,
    random: nodeRandom,
    log,
  });
  const close = store.close.bind(store);
  let closing: Promise<void> | undefined;
  const closeBoth = () => (closing ??= close().then(() => api.stop()));
  return Object.assign(store, { close: closeBoth, [Symbol.asyncDispose]: closeBoth });
}

storeSuite('kubernetes', ({ changesKept }) => opened(changesKept), {
  'refuses a watch from before the oldest change it keeps':
    'a cluster sends what a watch has missed soon after its call has returned; a test of this file waits for it',
});

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

test('status and the rest of a Workflow are each written to the endpoint that accepts them', async () => {
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

test('a kubeconfig provides server, certificates and token of its current context, and others are refused by name', () => {
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
  assert.throws(() => accessFrom(write('exec: {command: aws}'), {}), /has a user with exec; use a token/);
  assert.throws(() => accessFrom('', {}), /not in a pod .* --kubeconfig/);
  rmSync(folder, { recursive: true });
});
