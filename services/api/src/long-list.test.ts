/** Lists of many objects are complete, and do not block other requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Write } from '@tinkerbell/store-contract';
import { startedApi } from './testing/started-api.ts';

type Api = Awaited<ReturnType<typeof startedApi>>;

const path = '/api/v1/namespaces/default/configmaps';

/** Writes ConfigMaps directly to the store. One in a thousand has the label. */
async function withConfigMaps(count: number): Promise<Api> {
  const api = await startedApi();
  for (let from = 0; from < count; from += 1000) {
    const writes = Array.from({ length: Math.min(1000, count - from) }, (_, at): Write => {
      const name = `c${String(from + at).padStart(6, '0')}`;
      const metadata = { name, namespace: 'default', labels: { rare: String(at === 0) } };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      return { operation: 'create', key: { collection: 'configmaps', namespace: 'default', name }, object };
    });
    assert.ok((await api.store.commit(writes)).ok);
  }
  return api;
}

/** Returns the result, and how many turns of the event loop others had until then. */
async function turnsDuring<Result>(work: Promise<Result>): Promise<{ turns: number; result: Result }> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await work;
  isOver = true;
  return { turns, result };
}

test('a list without a limit is complete, and one with a limit can be continued', async () => {
  await using api = await withConfigMaps(10_500);
  const all = await api.call('GET', path);
  assert.deepEqual([all.body.items.length, all.body.metadata.continue], [10_500, undefined]);
  const first = await api.call('GET', `${path}?limit=10400`);
  assert.equal(first.body.items.length, 10_400);
  const rest = await api.call(
    'GET',
    `${path}?limit=10400&continue=${encodeURIComponent(first.body.metadata.continue)}`,
  );
  assert.deepEqual([rest.body.items.length, rest.body.metadata.continue], [100, undefined]);
});

test('other requests have turns while a list searches for the few objects that a selector matches', async () => {
  await using api = await withConfigMaps(20_000);
  const list = await turnsDuring(api.call('GET', `${path}?labelSelector=rare%3Dtrue`));
  assert.equal(list.result.body.items.length, 20);
  assert.ok(list.turns >= 40, `${list.turns} turns for 20,000 objects`);
  const none = await turnsDuring(api.call('GET', `${path}?labelSelector=rare%3Dnever`));
  assert.equal(none.result.body.items.length, 0);
  assert.ok(none.turns >= 40, `${none.turns} turns for 20,000 objects`);
});

test('other requests have turns while a watch searches for existing objects', async () => {
  await using api = await withConfigMaps(20_000);
  const query =
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const response = await api.raw('GET', `${path}?${query}&labelSelector=rare%3Dnever`);
  const reader = response.body!.getReader();
  const first = await turnsDuring(reader.read());
  assert.match(new TextDecoder().decode(first.result.value), /"BOOKMARK"/);
  assert.ok(first.turns >= 40, `${first.turns} turns for 20,000 objects`);
  await reader.cancel();
});

test('deletes a collection of any length', async () => {
  await using api = await withConfigMaps(10_500);
  assert.equal((await api.call('DELETE', path)).code, 200);
  assert.equal((await api.call('GET', path)).body.items.length, 0);
});
