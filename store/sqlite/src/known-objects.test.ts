import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { StoredObject } from '@tinkerbell/store-contract';
import { KnownObjects } from './known-objects.ts';

const key = (name: string) => ({ collection: 'hardware.tinkerbell.org', namespace: 'default', name });
const stored = (name: string, revision: number): StoredObject => ({
  key: key(name),
  revision,
  object: {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default' },
  },
});

/** An object without references is gone afterwards. */
async function collectGarbage(): Promise<void> {
  await setImmediate();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  await setImmediate();
}

test('keeps what was written last, and otherwise what others hold', async () => {
  const known = new KnownObjects(2);
  const held = stored('held', 1);
  known.set(held);
  for (const name of ['a', 'b', 'c']) known.set(stored(name, 2));
  await collectGarbage();
  const revisions = ['held', 'a', 'b', 'c'].map((name) => known.get(key(name))?.revision);
  assert.deepEqual(revisions, [1, undefined, 2, 2]);
  assert.equal(known.get(key('held'))?.object, held.object);
});

test('a listed object is known while its reader keeps it, and takes no place of recently read ones', async () => {
  const known = new KnownObjects(1);
  known.set(stored('recent', 1));
  const kept = stored('kept', 2);
  known.listed(kept);
  known.listed(stored('dropped', 3));
  assert.equal(known.get(key('recent'))?.revision, 1);
  await collectGarbage();
  assert.equal(known.get(key('kept'))?.object, kept.object);
  assert.equal(known.get(key('dropped')), undefined);
});

test('a newer version replaces an older one, wherever that is', () => {
  const known = new KnownObjects(1);
  const older = stored('a', 1);
  known.listed(older);
  known.set(stored('a', 2));
  assert.equal(known.listed(older).revision, 2);
  assert.equal(known.get(key('a'))?.revision, 2);
  known.delete(key('a'));
  assert.equal(known.get(key('a')), undefined);
  known.set(stored('b', 3));
  known.clear();
  assert.equal(known.get(key('b')), undefined);
});

test('remembers that an object is absent until it is written', () => {
  const known = new KnownObjects(2);
  assert.equal(known.isAbsent(key('a')), false, 'not looked up yet');
  known.absent(key('a'));
  assert.equal(known.isAbsent(key('a')), true);
  known.set(stored('a', 1));
  assert.equal(known.isAbsent(key('a')), false);
  known.absent(key('d'));
  known.clear();
  assert.equal(known.isAbsent(key('d')), false);
});

test('remembers the absent records of 20,000 agents, and names without end only up to a limit', () => {
  const known = new KnownObjects(2);
  for (let index = 0; index < 20_000; index += 1) known.absent(key(`agent-${index}`));
  assert.equal(known.isAbsent(key('agent-0')), true);
  for (let index = 20_000; index < 40_000; index += 1) known.absent(key(`agent-${index}`));
  assert.equal(known.isAbsent(key('agent-0')), false);
  assert.equal(known.isAbsent(key('agent-39999')), true);
});

test('forgets the names of collected objects', async () => {
  const known = new KnownObjects(1);
  for (let index = 0; index < 5_000; index += 1) {
    known.listed(stored(`object-${index}`, index));
    if (index % 1_000 === 0) await collectGarbage();
  }
  assert.ok(known.size < 4_000, `${known.size} names`);
});
