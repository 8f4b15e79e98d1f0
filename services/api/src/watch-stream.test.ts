import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldBytes } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import type { ObjectKey, Store } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { jsonEvents } from './watch-line.ts';
import { watchStream, type WatchOptions } from './watch-stream.ts';

const collection = 'hardware.tinkerbell.org';
const MEGABYTE = 1024 * 1024;

function keyOf(name: string): ObjectKey {
  return { collection, namespace: 'default', name };
}

function objectOf(name: string, labels: Record<string, string> = {}, filling = ''): Resource {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default', labels, annotations: { filling } },
  };
}

async function put(store: Store, object: Resource): Promise<void> {
  const key = keyOf(object.metadata.name);
  const before = await store.get(key);
  const result = await store.commit([
    before === undefined
      ? { operation: 'create', key, object }
      : { operation: 'update', key, object, expectedRevision: before.revision },
  ]);
  assert.ok(result.ok);
}

async function remove(store: Store, name: string): Promise<void> {
  const { revision } = (await store.get(keyOf(name)))!;
  await store.commit([{ operation: 'delete', key: keyOf(name), expectedRevision: revision }]);
}

interface Event {
  readonly type: string;
  readonly object: Resource & { readonly code?: number; readonly reason?: string };
}

async function watching(store: Store, more: Partial<WatchOptions> = {}) {
  const leaving = new AbortController();
  let tooSlow = 0;
  const stream = await watchStream(store, {
    collection,
    events: jsonEvents,
    bookmarks: false,
    bookmark: { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware' },
    timeoutMs: 1000,
    signal: leaving.signal,
    schedule: () => () => undefined,
    held: new HeldBytes(64 * MEGABYTE),
    onTooSlow: () => void (tooSlow += 1),
    ...more,
  });
  const reader = stream.getReader();
  return {
    leave: () => leaving.abort(),
    tooSlow: () => tooSlow,
    /** Undefined when the stream has ended. */
    async bytes(): Promise<Uint8Array | undefined> {
      return (await reader.read()).value;
    },
    async next(): Promise<Event | undefined> {
      const { value } = await reader.read();
      return value === undefined ? undefined : (JSON.parse(new TextDecoder().decode(value)) as Event);
    },
    async names(count: number): Promise<string[]> {
      const seen: string[] = [];
      while (seen.length < count) {
        const event = await this.next();
        seen.push(`${event?.type} ${event?.object.metadata.name}`);
      }
      return seen;
    },
  };
}

/** Counts the reads of the store, and runs a callback after each page. */
function watchedStore(store: Store, afterPage: (page: number) => Promise<void> = () => Promise.resolve()) {
  const list = store.list.bind(store);
  const pages: number[] = [];
  store.list = async (query) => {
    const page = await list(query);
    pages.push(page.items.length);
    await afterPage(pages.length);
    return page;
  };
  return pages;
}

test('all watches of a version send the same bytes, which count once', async () => {
  await using store = createMemoryStore();
  const held = new HeldBytes(64 * MEGABYTE);
  const watches = await Promise.all(Array.from({ length: 50 }, () => watching(store, { held })));
  await put(store, objectOf('a', {}, 'x'.repeat(900_000)));
  assert.ok(held.bytes() < MEGABYTE, `${held.bytes()} bytes are held`);
  const [first, ...others] = await Promise.all(watches.map((watch) => watch.bytes()));
  for (const other of others) assert.equal(other, first);
  assert.equal(held.bytes(), 0);
});

test('later lists share them too, and nothing is kept when all have it', async () => {
  await using store = createMemoryStore();
  await put(store, objectOf('a', {}, 'x'.repeat(100_000)));
  const held = new HeldBytes(64 * MEGABYTE);
  const [one, two] = [await watching(store, { held }), await watching(store, { held })];
  assert.ok(held.bytes() < 200_000);
  assert.equal(await one.bytes(), await two.bytes());
  assert.equal(held.bytes(), 0);
});

test('a line that a client still holds is shared with a later list', async () => {
  await using store = createMemoryStore();
  for (const name of ['a', 'b']) await put(store, objectOf(name));
  const one = await watching(store);
  const seen = [await one.bytes(), await one.bytes()];
  const two = await watching(store);
  for (const line of seen) assert.equal(await two.bytes(), line);
});

test('300 watches that nobody reads and 40 changes of 900 kB: each ends with 410, and memory is bounded meanwhile', async () => {
  await using store = createMemoryStore();
  const held = new HeldBytes(64 * MEGABYTE);
  const watches = await Promise.all(Array.from({ length: 300 }, () => watching(store, { held })));
  let most = 0;
  for (let round = 0; round < 40; round += 1) {
    await put(store, objectOf('a', { round: String(round) }, 'x'.repeat(900_000)));
    most = Math.max(most, held.bytes());
  }
  assert.ok(most <= 20 * MEGABYTE, `${most} bytes were held`);
  assert.equal(held.bytes(), 0, 'those that were ended hold nothing');
  for (const watch of watches) {
    const event = await watch.next();
    assert.deepEqual([event?.type, event?.object.code, event?.object.reason], ['ERROR', 410, 'Expired']);
    assert.equal(await watch.next(), undefined);
    assert.equal(watch.tooSlow(), 1);
  }
});

test('many small changes also end a watch that nobody reads', async () => {
  await using store = createMemoryStore();
  const watch = await watching(store);
  for (let round = 0; round < 10_050; round += 1) await put(store, objectOf('a', { round: String(round) }));
  assert.equal((await watch.next())?.object.code, 410);
});

test('all watches together stay within their limit, and clients that read keep theirs', async () => {
  await using store = createMemoryStore();
  const held = new HeldBytes(4 * MEGABYTE);
  // As Tables, which are built for each watch.
  const show = (resource: Resource): object => ({ ...resource });
  const stalled = await Promise.all(Array.from({ length: 20 }, () => watching(store, { held, show })));
  const reading = await watching(store, { held, show });
  for (let round = 0; round < 10; round += 1) {
    await put(store, objectOf('a', { round: String(round) }, 'x'.repeat(200_000)));
    assert.ok(held.bytes() <= 4 * MEGABYTE);
    assert.equal((await reading.next())?.object.metadata.labels?.['round'], String(round));
  }
  const firsts = await Promise.all(stalled.map((watch) => watch.next()));
  const ended = firsts.filter((event) => event?.object.code === 410).length;
  assert.ok(ended >= 15, `${ended} of 20 were ended`);
  assert.equal(reading.tooSlow(), 0);
});

test('reads existing objects from the store as the client reads', async () => {
  await using store = createMemoryStore();
  for (let index = 0; index < 40; index += 1)
    await put(store, objectOf(`m${String(index).padStart(2, '0')}`, {}, 'x'.repeat(200_000)));
  const pages = watchedStore(store);
  const held = new HeldBytes(64 * MEGABYTE);
  const watch = await watching(store, { held });
  assert.deepEqual(pages, [1]);
  const names = await watch.names(40);
  assert.deepEqual([names[0], names[39]], ['ADDED m00', 'ADDED m39']);
  assert.ok(Math.max(...pages) <= 6, `pages of ${pages.join()}`);
  watch.leave();
  assert.equal(held.bytes(), 0);
});

test('sends objects larger than a queue', async () => {
  await using store = createMemoryStore();
  for (const name of ['a', 'b', 'c']) await put(store, objectOf(name, {}, 'x'.repeat(17 * MEGABYTE)));
  const watch = await watching(store);
  assert.deepEqual(await watch.names(3), ['ADDED a', 'ADDED b', 'ADDED c']);
});

test('a change during the list is sent once, in order and never older than before', async () => {
  await using store = createMemoryStore();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await put(store, objectOf(name, {}, 'x'.repeat(MEGABYTE)));
  watchedStore(store, async (page) => {
    if (page !== 2) return;
    await put(store, objectOf('a', { is: 'changed' }));
    await put(store, objectOf('d', { is: 'changed' }));
    await put(store, objectOf('f'));
    await remove(store, 'e');
  });
  const watch = await watching(store, { endsInitial: true });
  const seen: string[] = [];
  const revisions = new Map<string, number>();
  while (!seen.includes('MODIFIED z')) {
    if (seen.length === 6) {
      await put(store, objectOf('z'));
      await put(store, objectOf('z', { is: 'changed' }));
    }
    const event = await watch.next();
    const { name, resourceVersion, labels } = event!.object.metadata;
    seen.push(`${event!.type} ${name}${labels?.['is'] === undefined || name === 'z' ? '' : ' changed'}`);
    assert.ok(Number(resourceVersion) > (revisions.get(name) ?? 0) || event!.type === 'BOOKMARK');
    revisions.set(name, Number(resourceVersion));
  }
  assert.deepEqual(
    seen.filter((one) => !one.startsWith('DELETED e')),
    [
      'ADDED a',
      'ADDED b',
      'ADDED c',
      'ADDED d changed',
      'ADDED f',
      'BOOKMARK undefined',
      'MODIFIED a changed',
      'ADDED z',
      'MODIFIED z',
    ],
  );
});

test('a client that disconnects in the middle of the list or of its changes leaves nothing behind', async () => {
  await using store = createMemoryStore();
  for (const name of ['a', 'b', 'c']) await put(store, objectOf(name, {}, 'x'.repeat(MEGABYTE)));
  const held = new HeldBytes(64 * MEGABYTE);
  const [early, late] = [await watching(store, { held }), await watching(store, { held })];
  await early.next();
  await late.names(3);
  // Requests what follows the list.
  void late.next();
  await new Promise(setImmediate);
  await put(store, objectOf('a', {}, 'y'.repeat(MEGABYTE)));
  await put(store, objectOf('b', {}, 'y'.repeat(MEGABYTE)));
  early.leave();
  late.leave();
  assert.equal(held.bytes(), 0);
  await put(store, objectOf('c', {}, 'y'.repeat(MEGABYTE)));
  assert.equal(held.bytes(), 0);
});

test('a store that fails in the middle of the list ends the watch with a reason', async () => {
  await using store = createMemoryStore();
  for (const name of ['a', 'b', 'c']) await put(store, objectOf(name, {}, 'x'.repeat(MEGABYTE)));
  const watch = await watching(store);
  store.list = () => Promise.reject(new Error('no connection'));
  assert.equal((await watch.next())?.type, 'ADDED');
  assert.deepEqual([(await watch.next())?.object.code, await watch.next()], [503, undefined]);
});
