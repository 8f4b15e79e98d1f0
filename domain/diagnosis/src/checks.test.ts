import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { holderCheck, probedAddresses, type Check } from './checks.ts';
import { diagnose } from './diagnose.ts';
import { firmware, START_MS, timelineOf } from './testing/boot-timeline.ts';

const hardwareWith = (...addresses: readonly string[]): Hardware => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'm1', namespace: 'default' },
  spec: { interfaces: addresses.map((address) => ({ dhcp: { mac: '08:00:27:00:00:01', ip: { address } } })) },
});

test('an address that another host uses has failed, and one that the machine uses is fine', () => {
  const hardware = hardwareWith('192.0.2.5');
  const stateOf = (holder: { readonly mac?: string } | undefined) =>
    holderCheck('192.0.2.5', { holder, hardware }).state;
  assert.equal(stateOf({ mac: '08:00:27:00:00:99' }), 'failed');
  assert.equal(stateOf({ mac: '08:00:27:00:00:01' }), 'ok');
  assert.equal(stateOf({}), 'note');
  assert.equal(stateOf(undefined), 'note');
});

test('only IPv4 addresses are probed, and no more than eight', () => {
  assert.deepEqual(probedAddresses(hardwareWith('192.0.2.5', '2001:db8::5', 'x')), ['192.0.2.5']);
  const many = Array.from({ length: 20 }, (_, at) => `192.0.2.${at + 1}`);
  assert.equal(probedAddresses(hardwareWith(...many)).length, 8);
});

test('problems that active checks have found in this boot are evidence of a machine that stands still', () => {
  const checks: readonly Check[] = [
    { check: 'address', state: 'failed', message: '192.0.2.5: another host uses it' },
    { check: 'bmc', state: 'ok', message: 'the power is on' },
    { check: 'console', state: 'note', message: 'a line' },
  ];
  const evidenceAt = (triedMs: number, nowMs: number) =>
    diagnose({
      nowMs,
      macs: [],
      records: timelineOf(firmware()),
      hardware: hardwareWith('192.0.2.5'),
      tried: { atMs: triedMs, checks },
      limitMs: () => 40_000,
    }).verdict.evidence.filter(({ text }) => text.startsWith('checked '));
  const overdueMs = START_MS + 60_000;
  assert.deepEqual(evidenceAt(overdueMs, overdueMs), [
    { atMs: overdueMs, text: 'checked address: 192.0.2.5: another host uses it' },
  ]);
  assert.deepEqual(evidenceAt(START_MS - 1, overdueMs), [], 'it was about an earlier boot');
  assert.deepEqual(evidenceAt(START_MS + 1, START_MS + 2), [], 'it does not stand still');
});
