/** Tests the contract. Every store backend must pass all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@tinkerbell/resources';
import type { Change, ObjectKey, Store } from './index.ts';

const collection = 'templates.tinkerbell.org';

function keyOf(name: string, namespace = 'default'): ObjectKey {
  return { collection, namespace, name };
}

function templateOf(name: string, text: string, namespace = 'default'): Resource {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name, namespace },
    spec: { data: text },
  };
}

async function create(
  store: Store,
  name: string,
  { text = 'x', namespace = 'default' }: { readonly text?: string; readonly namespace?: string } = {},
): Promise<number> {
  const result = await store.commit([
    { operation: 'create', key: keyOf(name, namespace), object: templateOf(name, text, namespace) },
  ]);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.revision;
}

function recorder() {
  const changes: Change[] = [];
  const ends: string[] = [];
  return {
    changes,
    ends,
    handlers: {
      onChange: (change: Change) => void changes.push(change),
      onEnd: (reason: string) => void ends.push(reason),
    },
  };
}

/**
 * Registers the tests for one backend. `open` returns a new, empty store that keeps at most `changesKept` changes. `skipped` maps
 * the name of a test to the reason why the backend is documented not to support it.
 */
export function storeSuite(
  backend: string,
  open: (options: { changesKept: number }) => Promise<Store>,
  skipped: Readonly<Record<string, string>> = {},
): void {
  const unknown = new Set(Object.keys(skipped));
  function storeTest(name: string, body: (store: Store) => Promise<void>, changesKept = 1000): void {
    unknown.delete(name);
    test(`${backend}: ${name}`, { skip: skipped[name] ?? false }, async () => {
      await using store = await open({ changesKept });
      await body(store);
    });
  }
  writeTests(storeTest);
  listTests(storeTest);
  watchTests(storeTest);
  if (unknown.size > 0)
    throw new Error(`${backend} skips tests that are not there: ${[...unknown].join(', ')}`);
}

type StoreTest = (name: string, body: (store: Store) => Promise<void>, changesKept?: number) => void;

function writeTests(storeTest: StoreTest): void {
  storeTest('reads back what it wrote, with the revision as resourceVersion', async (store) => {
    const revision = await create(store, 'a', { text: 'text' });
    const stored = await store.get(keyOf('a'));
    assert.equal(stored?.revision, revision);
    assert.equal(stored.object.metadata.resourceVersion, String(revision));
    assert.deepEqual(stored.object.spec, { data: 'text' });
    assert.equal(await store.get(keyOf('b')), undefined);
  });

  storeTest('gives every write a greater revision', async (store) => {
    const first = await create(store, 'a');
    const second = await create(store, 'b');
    assert.ok(second > first);
    assert.equal(await store.revision(), second);
  });

  storeTest('refuses to create what exists', async (store) => {
    await create(store, 'a', { text: 'first' });
    const again = await store.commit([
      { operation: 'create', key: keyOf('a'), object: templateOf('a', 'second') },
    ]);
    assert.ok(!again.ok && again.reason === 'already-exists');
    assert.deepEqual((await store.get(keyOf('a')))?.object.spec, { data: 'first' });
  });

  storeTest('refuses a write on a revision that has passed', async (store) => {
    const revision = await create(store, 'a', { text: 'v1' });
    const update = (text: string) =>
      store.commit([
        { operation: 'update', key: keyOf('a'), object: templateOf('a', text), expectedRevision: revision },
      ]);
    const [one, two] = await Promise.all([update('v2'), update('v3')]);
    assert.deepEqual([one.ok, two.ok].toSorted(), [false, true]);
    const loser = one.ok ? two : one;
    assert.ok(!loser.ok && loser.reason === 'conflict');
  });

  storeTest('refuses to update or delete a missing object', async (store) => {
    for (const operation of ['update', 'delete'] as const) {
      const result = await store.commit([
        { operation, key: keyOf('a'), object: templateOf('a', 'x'), expectedRevision: 1 },
      ]);
      assert.ok(!result.ok && result.reason === 'not-found');
    }
  });

  storeTest('writes all of a commit or nothing', async (store) => {
    await create(store, 'a');
    const result = await store.commit([
      { operation: 'create', key: keyOf('b'), object: templateOf('b', 'x') },
      { operation: 'create', key: keyOf('a'), object: templateOf('a', 'x') },
    ]);
    assert.ok(!result.ok && result.key.name === 'a');
    assert.equal(await store.get(keyOf('b')), undefined);
  });

  storeTest('creates a deleted object again', async (store) => {
    const revision = await create(store, 'a');
    const deleted = await store.commit([
      { operation: 'delete', key: keyOf('a'), expectedRevision: revision },
    ]);
    assert.ok(deleted.ok);
    assert.equal(await store.get(keyOf('a')), undefined);
    await create(store, 'a', { text: 'anew' });
  });

  storeTest('accepts many commits at once and keeps each atomic', async (store) => {
    const results = await Promise.all(Array.from({ length: 200 }, (_, index) => create(store, `t${index}`)));
    assert.equal(new Set(results).size, 200);
    assert.equal((await store.list({ collection })).items.length, 200);
  });
}

function listTests(storeTest: StoreTest): void {
  storeTest('lists by namespace and name, one namespace or all', async (store) => {
    for (const [name, namespace] of [
      ['b', 'one'],
      ['a', 'two'],
      ['a', 'one'],
    ] as const)
      await create(store, name, { namespace });
    const names = (items: readonly { key: ObjectKey }[]) =>
      items.map((item) => `${item.key.namespace}/${item.key.name}`);
    const all = await store.list({ collection });
    assert.deepEqual(names(all.items), ['one/a', 'one/b', 'two/a']);
    assert.equal(all.revision, await store.revision());
    assert.deepEqual(names((await store.list({ collection, namespace: 'two' })).items), ['two/a']);
    assert.deepEqual((await store.list({ collection: 'hardware.tinkerbell.org' })).items, []);
  });

  storeTest('lists in pages', async (store) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(store, name);
    const first = await store.list({ collection, limit: 2 });
    assert.deepEqual(first.next, { namespace: 'default', name: 'b' });
    const rest = await store.list({
      collection,
      limit: 10,
      ...(first.next === undefined ? {} : { after: first.next }),
    });
    assert.deepEqual(
      rest.items.map((item) => item.key.name),
      ['c', 'd', 'e'],
    );
    assert.equal(rest.next, undefined);
  });
}

function watchTests(storeTest: StoreTest): void {
  storeTest('delivers every change after a revision, in order, once', async (store) => {
    await create(store, 'before');
    const from = await store.revision();
    const revision = await create(store, 'a', { text: 'v1' });
    const seen = recorder();
    const watch = await store.watch({ collection, fromRevision: from }, seen.handlers);
    assert.ok(watch.ok);
    const updated = await store.commit([
      { operation: 'update', key: keyOf('a'), object: templateOf('a', 'v2'), expectedRevision: revision },
    ]);
    assert.ok(updated.ok);
    await store.commit([{ operation: 'delete', key: keyOf('a'), expectedRevision: updated.revision }]);
    assert.deepEqual(
      seen.changes.map((change) => change.type),
      ['added', 'modified', 'deleted'],
    );
    const deleted = seen.changes[2];
    assert.deepEqual(deleted?.object.spec, { data: 'v2' });
    assert.equal(deleted?.object.metadata.resourceVersion, String(deleted?.revision));
  });

  storeTest('delivers to a watcher only changes of its collection and namespace', async (store) => {
    const seen = recorder();
    const watch = await store.watch({ collection, namespace: 'one', fromRevision: 0 }, seen.handlers);
    assert.ok(watch.ok);
    await create(store, 'a', { namespace: 'one' });
    await create(store, 'a', { namespace: 'two' });
    assert.deepEqual(
      seen.changes.map((change) => change.key.namespace),
      ['one'],
    );
    watch.stop();
    await create(store, 'b', { namespace: 'one' });
    assert.equal(seen.changes.length, 1);
  });

  storeTest('has delivered a change to a watcher when its commit resolves', async (store) => {
    const seen = recorder();
    await store.watch({ fromRevision: 0 }, seen.handlers);
    const revision = await create(store, 'a');
    assert.equal(seen.changes.at(-1)?.revision, revision);
  });

  storeTest(
    'refuses a watch from before the oldest change it keeps',
    async (store) => {
      for (let index = 0; index < 30; index++) await create(store, `t${index}`);
      const watch = await store.watch({ collection, fromRevision: 1 }, recorder().handlers);
      assert.ok(!watch.ok && watch.reason === 'compacted');
      const recent = recorder();
      const later = await store.watch(
        { collection, fromRevision: (await store.revision()) - 2 },
        recent.handlers,
      );
      assert.ok(later.ok);
      assert.equal(recent.changes.length, 2);
    },
    10,
  );

  storeTest('ends its watches when it closes', async (store) => {
    const seen = recorder();
    await store.watch({ fromRevision: 0 }, seen.handlers);
    await store.close();
    assert.equal(seen.ends.length, 1);
  });
}
