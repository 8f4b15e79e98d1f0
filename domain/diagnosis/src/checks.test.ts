import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { holderCheck, portCheck, probedAddresses, type AskedPort, type Check } from './checks.ts';
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

test('a port that is silent has failed, and one that could not be asked says nothing', () => {
  const port = { name: 'TFTP', asks: 'tftp', port: 69 } as const;
  const checkOf = (tried: Pick<AskedPort, 'outcome' | 'reason'>) => {
    const { state, message } = portCheck({ ...port, ...tried }, { host: '192.0.2.4', who: 'node-2' });
    return `${state}: ${message}`;
  };
  assert.equal(checkOf({ outcome: 'answered' }), 'ok: TFTP, udp/69 of 192.0.2.4 answers node-2');
  assert.equal(
    checkOf({ outcome: 'silent', reason: 'nothing within 3 s' }),
    'failed: TFTP, udp/69 of 192.0.2.4 does not answer node-2: nothing within 3 s',
  );
  assert.equal(
    checkOf({ outcome: 'untried', reason: 'no route' }),
    'note: TFTP, udp/69 of 192.0.2.4 was not tried by node-2: no route',
  );
});

test('only IPv4 addresses are probed, and no more than eight', () => {
  assert.deepEqual(probedAddresses(hardwareWith('192.0.2.5', '2001:db8::5', 'x')), ['192.0.2.5']);
  const many = Array.from({ length: 20 }, (_, at) => `192.0.2.${at + 1}`);
  assert.equal(probedAddresses(hardwareWith(...many)).length, 8);
});

test('checks from several places are evidence together', () => {
  const failed = (message: string): Check => ({ check: 'ports', state: 'failed', message });
  const { evidence } = diagnose({
    nowMs: START_MS + 60_000,
    macs: [],
    records: timelineOf(firmware()),
    tried: [
      { atMs: START_MS + 1, checks: [failed('from the server')] },
      { atMs: START_MS + 2, checks: [failed('from node-2')] },
    ],
    limitMs: () => 40_000,
  }).verdict;
  assert.deepEqual(
    evidence.slice(-2).map(({ text }) => text),
    ['checked ports: from the server', 'checked ports: from node-2'],
  );
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
      tried: [{ atMs: triedMs, checks }],
      limitMs: () => 40_000,
    }).verdict.evidence.filter(({ text }) => text.startsWith('checked '));
  const overdueMs = START_MS + 60_000;
  assert.deepEqual(evidenceAt(overdueMs, overdueMs), [
    { atMs: overdueMs, text: 'checked address: 192.0.2.5: another host uses it' },
  ]);
  assert.deepEqual(evidenceAt(START_MS - 1, overdueMs), [], 'it was about an earlier boot');
  assert.deepEqual(evidenceAt(START_MS + 1, START_MS + 2), [], 'it does not stand still');
});
