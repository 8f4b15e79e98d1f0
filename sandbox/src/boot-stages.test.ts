import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TimelineRecord } from './api-client.ts';
import { actionSeconds, powerOnAt, stageSeconds, withRecord, withSerialLine } from './boot-stages.ts';

function record(atMs: number, name: string, details: TimelineRecord['details'] = {}): TimelineRecord {
  const [source = '', event = ''] = name.split('/');
  return { sequence: atMs, atMs, source, event, message: '', details };
}

const BOOT = [
  record(1200, 'dhcp/offer-sent'),
  record(1500, 'http/script-served', { outcome: 'hook' }),
  record(2000, 'image/transfer-completed', { path: 'vmlinuz-x86_64' }),
  record(3000, 'image/transfer-completed', { path: 'initramfs-x86_64' }),
  record(8000, 'dhcp/offer-sent'),
  record(10_000, 'agent/action-served', { action: 'write image' }),
  record(20_000, 'agent/action-succeeded', { action: 'write image' }),
  record(21_000, 'workflow/state-changed', { to: 'SUCCESS' }),
  record(30_000, 'http/script-served', { outcome: 'local-boot' }),
];

test('splits a boot into stages that add up to the total', () => {
  const ended = withSerialLine(BOOT.reduce(withRecord, powerOnAt(1000)), 'machine-1 login:', 45_500);
  assert.equal(ended.state, 'SUCCESS');
  const { total, ...stages } = stageSeconds(ended);
  assert.deepEqual(stages, {
    firmware: 0.2,
    bootLoader: 0.3,
    download: 1.5,
    inMemoryOs: 7,
    actions: 11,
    restart: 9,
    operatingSystem: 15.5,
  });
  assert.equal(total, 44.5);
  assert.deepEqual(actionSeconds(ended), [{ name: 'write image', seconds: 10 }]);
});

test('the total ends with the login also when the disk boots without a script', () => {
  const withoutScript = BOOT.slice(0, -1).reduce(withRecord, powerOnAt(1000));
  const { total, operatingSystem } = stageSeconds(withSerialLine(withoutScript, 'machine-1 login:', 45_500));
  assert.deepEqual([total, operatingSystem], [44.5, 24.5]);
});

test('reports only the stages that have ended', () => {
  const half = BOOT.slice(0, 4).reduce(withRecord, powerOnAt(1000));
  assert.deepEqual(Object.keys(stageSeconds(half)), ['firmware', 'bootLoader', 'download', 'total']);
  assert.equal(half.state, '');
});

test('counts an interrupted action from its first start', () => {
  const again = [
    record(1000, 'agent/action-served', { action: 'a' }),
    record(5000, 'agent/action-served', { action: 'a' }),
    record(9000, 'agent/action-failed', { action: 'a' }),
    record(9100, 'workflow/state-changed', { to: 'FAILED' }),
  ].reduce(withRecord, powerOnAt(0));
  assert.deepEqual(actionSeconds(again), [{ name: 'a', seconds: 8 }]);
  assert.equal(again.state, 'FAILED');
});
