import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { filtered, filterFrom, searchOf } from './machine-filter.ts';
import { machineRows } from './machine-row.ts';

function hardware(name: string, rack: string, mac: string): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default', labels: { rack } },
    spec: { interfaces: [{ dhcp: { mac }, netboot: { allowPXE: rack === 'r1' } }] },
  };
}

const failed: Workflow = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'default', creationTimestamp: '2026-11-02T00:00:00Z' },
  spec: { hardwareRef: 'm1' },
  status: { state: 'FAILED' },
};
const older: Workflow = {
  ...failed,
  metadata: { ...failed.metadata, name: 'v', creationTimestamp: '2026-11-01T00:00:00Z' },
  status: { state: 'SUCCESS' },
};
const rows = machineRows(
  [hardware('m1', 'r1', '52:54:00:00:00:01'), hardware('m2', 'r2', '52:54:00:00:00:02')],
  { workflows: [failed, older], bmcs: [] },
);
const names = (search: Readonly<Record<string, string>>): readonly string[] =>
  filtered(rows, filterFrom(search)).map(({ name }) => name);

test('a filter survives the address, and what is not set is left out', () => {
  for (const search of [
    {},
    { q: 'a b', state: 'FAILED', label: 'rack=r1', sort: '-mac', hide: 'labels,age' },
    { hide: 'none' },
  ])
    assert.deepEqual(searchOf(filterFrom(search)), search);
  assert.deepEqual(searchOf(filterFrom({ sort: 'name', other: 'x' })), {});
  assert.deepEqual([filterFrom({}).hidden, filterFrom({ hide: 'none' }).hidden], [undefined, []]);
});

test('words, states, labels and netboot select rows together', () => {
  assert.deepEqual(names({}), ['m1', 'm2']);
  assert.deepEqual(names({ q: '00:02' }), ['m2']);
  assert.deepEqual(names({ q: 'rack=r1 m1' }), ['m1']);
  assert.deepEqual(names({ state: 'FAILED' }), ['m1']);
  assert.deepEqual(names({ state: 'none' }), ['m2']);
  assert.deepEqual(names({ label: 'rack' }), ['m1', 'm2']);
  assert.deepEqual(names({ label: 'rack=r2', netboot: 'denied' }), ['m2']);
  assert.deepEqual(names({ label: 'rack=r2', netboot: 'allowed' }), []);
});

test('the newest workflow gives the state', () => {
  assert.deepEqual(
    rows.map(({ state, workflow }) => [state, workflow]),
    [
      ['FAILED', 'w'],
      ['', ''],
    ],
  );
});

test('a row whose objects are the same is used again', () => {
  const machines = [hardware('m1', 'r1', '52:54:00:00:00:01'), hardware('m2', 'r2', '52:54:00:00:00:02')];
  const before = machineRows(machines, { workflows: [older], bmcs: [] });
  const changed = [hardware('m1', 'r3', '52:54:00:00:00:01'), ...machines.slice(1)];
  const after = machineRows(changed, { workflows: [older], bmcs: [] }, before);
  assert.deepEqual([after[0] === before[0], after[1] === before[1]], [false, true]);
  assert.deepEqual(after[0]?.labels, [['rack', 'r3']]);
  const failing = machineRows(changed, { workflows: [failed, older], bmcs: [] }, after);
  assert.deepEqual([failing[0]?.state, failing[1] === after[1]], ['FAILED', true]);
});
