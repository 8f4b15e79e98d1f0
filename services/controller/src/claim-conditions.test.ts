import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import type { Hardware } from '@tinkerbell/resources';
import type { Store } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { showAllClaims } from './claim-conditions.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const keyOf = (name: string) => ({ collection: 'hardware.tinkerbell.org', namespace: 'default', name });

function hardware(name: string, day: number, mac: string): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { namespace: 'default', name, uid: name, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
    spec: { interfaces: [{ dhcp: { mac, ip: { address: `10.0.0.${day}` } } }] },
  };
}

async function conditionsOf(store: Store, name: string) {
  const stored = await store.get(keyOf(name));
  return (stored?.object as Hardware | undefined)?.status?.conditions;
}

test('sets a condition on a Hardware with the MAC of an older one, until the older one is gone', async () => {
  const store = createMemoryStore();
  const mac = '52:54:00:00:00:01';
  for (const one of [
    hardware('late', 2, mac),
    hardware('early', 1, mac),
    hardware('other', 3, '52:54:00:00:00:03'),
  ])
    await store.commit([{ operation: 'create', key: keyOf(one.metadata.name), object: one }]);
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const showClaims = () => showAllClaims({ view, store, clock: nodeClock, log }, stopping.signal);
  await showClaims();
  const [condition, ...others] = (await conditionsOf(store, 'late')) ?? [];
  assert.equal(others.length, 0);
  assert.deepEqual(
    [condition?.type, condition?.status, condition?.reason],
    ['OwnsItsAddresses', 'False', 'OwnedByAnother'],
  );
  assert.match(condition?.message ?? '', /an older Hardware has mac 52:54:00:00:00:01;/);
  assert.equal(await conditionsOf(store, 'early'), undefined);
  assert.equal(await conditionsOf(store, 'other'), undefined);
  const revision = await store.revision();
  await showClaims();
  assert.equal(await store.revision(), revision, 'nothing is written twice');
  const early = await store.get(keyOf('early'));
  await store.commit([{ operation: 'delete', key: keyOf('early'), expectedRevision: early?.revision ?? 0 }]);
  await showClaims();
  assert.deepEqual(await conditionsOf(store, 'late'), []);
  stopping.abort();
});
