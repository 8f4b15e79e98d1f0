/** Tests the store with our own API behind a proxy that breaks connections. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Change, ObjectKey, Store } from '@tinkerbell/store-contract';
import { openKubernetesStore } from './index.ts';
import { startFaultProxy } from './testing/fault-proxy.ts';
import { log, startedApi } from './testing/started-api.ts';

const collection = 'templates.tinkerbell.org';
const keyOf = (name: string): ObjectKey => ({ collection, namespace: 'default', name });
const objectOf = (name: string, data = 'x') => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name, namespace: 'default' },
  spec: { data },
});

/** Waits until the condition is met. The test's own time limit applies. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function site(limits = {}) {
  await using cleanup = new AsyncDisposableStack();
  const api = await startedApi();
  cleanup.defer(() => api.stop());
  const proxy = cleanup.use(await startFaultProxy(api.port));
  const open = (url: string) =>
    openKubernetesStore({ access: { url }, clock: nodeClock, random: nodeRandom, log, limits });
  const direct = cleanup.use(await open(api.url));
  const store = cleanup.use(await open(proxy.url));
  const owned = cleanup.move();
  return { proxy, store, direct, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function create(store: Store, name: string, data?: string): Promise<number> {
  const result = await store.commit([
    { operation: 'create', key: keyOf(name), object: objectOf(name, data) },
  ]);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.revision;
}

async function followed(store: Store) {
  const changes: Change[] = [];
  const ends: string[] = [];
  const handlers = {
    onChange: (one: Change) => void changes.push(one),
    onEnd: (why: string) => void ends.push(why),
  };
  const watch = await store.watch({ collection, fromRevision: await store.revision() }, handlers);
  assert.ok(watch.ok);
  return { ends, names: () => changes.map(({ key }) => key.name) };
}

test('a watch continues after its connection is reset, without a repeated or lost change', async () => {
  await using all = await site();
  const { store, direct, proxy } = all;
  const seen = await followed(store);
  for (let round = 0; round < 5; round += 1) {
    await create(direct, `before-${round}`);
    await until(() => seen.names().includes(`before-${round}`));
    proxy.resetAll();
    await create(direct, `after-${round}`);
    await until(() => seen.names().includes(`after-${round}`));
  }
  const expected = [0, 1, 2, 3, 4].flatMap((round) => [`before-${round}`, `after-${round}`]);
  assert.deepEqual(seen.names(), expected);
  assert.deepEqual(seen.ends, []);
  assert.ok((samplesOf(store.metrics)['tinkerbell_cluster_watch_restarts_total'] ?? 0) >= 5);
});

for (const fault of ['reset', 'black-hole', 'truncated', 'lost-answers'] as const) {
  test(`a watch survives the fault "${fault}", which is reported while it lasts`, async () => {
    await using all = await site({ answerMs: 300, quietMs: 300, patienceMs: 500 });
    const { store, direct, proxy } = all;
    const seen = await followed(store);
    assert.equal(store.failure(), undefined);
    proxy.set(fault);
    if (fault !== 'black-hole') proxy.resetAll();
    await create(direct, 'during');
    await until(() => store.failure() !== undefined);
    assert.match(store.failure() ?? '', /^the Kubernetes API at http:\/\/127\.0\.0\.1:\d+.*: .+/);
    assert.equal(samplesOf(store.metrics)['tinkerbell_cluster_in_touch'], 0);
    proxy.set('none');
    await until(() => seen.names().includes('during'));
    await until(() => store.failure() === undefined);
    await create(direct, 'later');
    await until(() => seen.names().includes('later'));
    assert.deepEqual([seen.names(), seen.ends], [['during', 'later'], []]);
  });
}

test('a watch whose server has vanished silently is opened again when it is quiet for too long', async () => {
  await using all = await site({ quietMs: 300 });
  const { store, direct, proxy } = all;
  const seen = await followed(store);
  proxy.halfOpen();
  await create(direct, 'unheard');
  await until(() => seen.names().includes('unheard'));
  assert.deepEqual(seen.ends, []);
});

test('reads wait for the end of an outage, and fail with the reason when it lasts', async () => {
  await using all = await site({ answerMs: 300, patienceMs: 2_000 });
  const { store, proxy } = all;
  await create(store, 'a');
  proxy.set('reset');
  proxy.resetAll();
  const waiting = store.get(keyOf('a'));
  await until(() => store.failure() !== undefined);
  proxy.set('none');
  assert.equal((await waiting)?.key.name, 'a');
  proxy.set('reset');
  proxy.resetAll();
  await assert.rejects(
    store.list({ collection }),
    /the Kubernetes API at .* does not answer: .*ECONNRESET|hang up/,
  );
});

test('writes with lost answers are neither repeated nor reported as failed', async () => {
  await using all = await site();
  const { store, direct, proxy } = all;
  const key = keyOf('a');
  proxy.loseWriteAnswers(2);
  const made = await store.commit([{ operation: 'create', key, object: objectOf('a') }]);
  assert.ok(made.ok, JSON.stringify(made));
  const first = await direct.get(key);
  assert.equal(first?.revision, made.revision);

  proxy.loseWriteAnswers(1);
  const [object, expectedRevision] = [{ ...first.object, spec: { data: 'y' } }, first.revision];
  const changed = await store.commit([{ operation: 'update', key, object, expectedRevision }]);
  assert.ok(changed.ok, JSON.stringify(changed));
  const second = await direct.get(key);
  assert.deepEqual([second?.revision, second?.object.spec], [changed.revision, { data: 'y' }]);

  proxy.loseWriteAnswers(1);
  const removed = await store.commit([{ operation: 'delete', key, expectedRevision: changed.revision }]);
  assert.ok(removed.ok, JSON.stringify(removed));
  assert.equal(await direct.get(key), undefined);
});

test('a write with a lost answer does not mistake the write of another client for its own', async () => {
  await using all = await site();
  const { store, direct, proxy } = all;
  const key = keyOf('a');
  const expectedRevision = await create(store, 'a');
  const before = await direct.get(key);
  assert.ok(before !== undefined);
  const write = (data: string) =>
    [{ operation: 'update', key, object: { ...before.object, spec: { data } }, expectedRevision }] as const;
  proxy.insteadOfWrite(() => direct.commit(write('other')));
  const late = await store.commit(write('late'));
  assert.ok(!late.ok && late.reason === 'conflict', JSON.stringify(late));
  assert.deepEqual((await direct.get(key))?.object.spec, { data: 'other' });

  proxy.insteadOfWrite(() => create(direct, 'b', 'first'));
  const second = await store.commit([
    { operation: 'create', key: keyOf('b'), object: objectOf('b', 'second') },
  ]);
  assert.ok(!second.ok && second.reason === 'already-exists', JSON.stringify(second));
});

test('a request that gets 429 or 5xx is repeated, not before its Retry-After', async () => {
  await using all = await site();
  const { store, proxy } = all;
  await create(store, 'a');
  proxy.answer(1, '429 Too Many Requests', 'retry-after: 1\r\n');
  const startedMs = nodeClock.monotonicMs();
  assert.equal((await store.get(keyOf('a')))?.key.name, 'a');
  assert.ok(nodeClock.monotonicMs() - startedMs >= 1_000);
  proxy.answer(2, '500 Internal Server Error');
  await create(store, 'b');
  assert.equal(samplesOf(store.metrics)['tinkerbell_cluster_retries_total{reason="too-many-requests"}'], 1);
  assert.equal(samplesOf(store.metrics)['tinkerbell_cluster_retries_total{reason="server-error"}'], 2);
});

test('writes during a long outage are refused as unavailable', async () => {
  await using all = await site({ answerMs: 300, patienceMs: 500 });
  const { store, direct, proxy } = all;
  proxy.set('black-hole');
  const lost = await store.commit([{ operation: 'create', key: keyOf('a'), object: objectOf('a') }]);
  assert.ok(!lost.ok && lost.reason === 'unavailable', JSON.stringify(lost));
  assert.equal(await direct.get(keyOf('a')), undefined);
});

test('a watch continues after an error event that is followed by a reset', async () => {
  await using all = await site();
  const { store, direct, proxy } = all;
  const seen = await followed(store);
  const event = JSON.stringify({
    type: 'ERROR',
    object: { code: 500, message: 'etcdserver: leader changed' },
  });
  const chunk = `${event}\n`;
  proxy.writeAndReset(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  await create(direct, 'later');
  await until(() => seen.names().includes('later'));
  assert.deepEqual(seen.ends, []);
});

test('a forbidden watch is refused at once, and does not count as an outage', async () => {
  await using all = await site();
  const { store, proxy } = all;
  proxy.answer(1, '403 Forbidden');
  const handlers = { onChange() {}, onEnd() {} };
  await assert.rejects(
    store.watch({ collection, fromRevision: 1 }, handlers),
    /does not allow watch templates\.tinkerbell\.org: .*deploy\/kubernetes\/rbac\.yaml/,
  );
  assert.equal(store.failure(), undefined);
});

test('many watches leave connections for requests', async () => {
  await using all = await site({ patienceMs: 500 });
  const { store } = all;
  const handlers = { onChange() {}, onEnd() {} };
  for (let index = 0; index < 40; index += 1)
    assert.ok((await store.watch({ collection, fromRevision: await store.revision() }, handlers)).ok);
  await create(store, 'a');
  assert.equal((await store.get(keyOf('a')))?.key.name, 'a');
});

test('a write of a kind that a watch of everything does not follow waits for no watch', async () => {
  await using all = await site();
  const { store } = all;
  const handlers = { onChange() {}, onEnd() {} };
  assert.ok((await store.watch({ fromRevision: await store.revision() }, handlers)).ok);
  const key = { collection: 'configmaps', namespace: 'default', name: 'c' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' } };
  const startedMs = nodeClock.monotonicMs();
  assert.ok((await store.commit([{ operation: 'create', key, object }])).ok);
  // Each watch that is waited for would take a second.
  assert.ok(nodeClock.monotonicMs() - startedMs < 1_000);
});

test('a status that another client writes between the two requests of one update is not overwritten', async () => {
  await using all = await site();
  const { store, direct, proxy } = all;
  const key = { collection: 'workflows.tinkerbell.org', namespace: 'default', name: 'w' };
  const metadata = { name: 'w', namespace: 'default' };
  const spec = { templateRef: 't', hardwareRef: 'h', disabled: true };
  const object = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Workflow', metadata, spec };
  assert.ok((await store.commit([{ operation: 'create', key, object }])).ok);
  const before = await store.get(key);
  assert.ok(before !== undefined);
  const labelled = { ...before.object, metadata: { ...before.object.metadata, labels: { a: 'b' } } };
  const update = (of: typeof before, changed: typeof labelled) =>
    ({ operation: 'update', key, object: changed, expectedRevision: of.revision }) as const;
  // As if the first request had arrived, and another client had written before the second one is sent.
  proxy.insteadOfWrite(async () => {
    assert.ok((await direct.commit([update(before, labelled)])).ok);
    const after = await direct.get(key);
    assert.ok(after !== undefined);
    const done = { ...after.object, status: { ...(after.object.status as object), agentID: 'theirs' } };
    assert.ok((await direct.commit([update(after, done as typeof labelled)])).ok);
  });
  const ours = { ...labelled, status: { ...(before.object.status as object), agentID: 'ours' } };
  const result = await store.commit([update(before, ours)]);
  assert.ok(!result.ok && result.reason === 'conflict', JSON.stringify(result));
  const status = (await direct.get(key))?.object.status as { agentID?: string } | undefined;
  assert.equal(status?.agentID, 'theirs');
});
