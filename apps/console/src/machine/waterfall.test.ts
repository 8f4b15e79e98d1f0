import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import { waterfallOf } from './waterfall.ts';

let sequence = 0;
function record(atMs: number, source: JournalRecord['source'], event: string, details = {}): JournalRecord {
  return { sequence: ++sequence, atMs, source, event, message: `${event}!`, details };
}

test('a transfer is a bar that ends at its record, and an action one bar of all its records', () => {
  const { bars, totalMs } = waterfallOf([
    record(1000, 'dhcp', 'offer-sent'),
    record(5000, 'image', 'transfer-completed', { path: '/hook/vmlinuz', offset: 0, milliseconds: 3000 }),
    record(6000, 'agent', 'action-started', { task: 't', action: 'write image' }),
    record(11_000, 'agent', 'action-succeeded', { task: 't', action: 'write image' }),
  ]);
  assert.equal(totalMs, 10_000);
  assert.deepEqual(
    bars.map(({ label, atMs, durationMs, start, width, count }) => [
      label,
      atMs,
      durationMs,
      start,
      width,
      count,
    ]),
    [
      ['DHCP offer sent', 0, 0, 0, 0.004, 1],
      ['vmlinuz', 1000, 3000, 0.1, 0.3, 1],
      ['write image', 5000, 5000, 0.5, 0.5, 1],
    ],
  );
});

test('the progress of a file over TFTP is one bar', () => {
  const file = { file: 'x/initramfs-x86_64' };
  const { bars } = waterfallOf([
    record(0, 'dhcp', 'offer-sent'),
    record(11_000, 'tftp', 'file-moved', { ...file, milliseconds: 10_000 }),
    record(21_000, 'tftp', 'file-moved', { ...file, milliseconds: 20_000 }),
  ]);
  assert.deepEqual(
    bars.map(({ atMs, durationMs, count }) => [atMs, durationMs, count]),
    [
      [0, 0, 1],
      [1000, 20_000, 1],
    ],
  );
});

test('a bar never leaves the scale, and trouble is marked', () => {
  const { bars } = waterfallOf([
    record(0, 'dhcp', 'offer-sent'),
    record(1000, 'tftp', 'file-not-found', { path: 'ipxe.efi' }),
  ]);
  assert.ok(bars.every(({ start, width }) => start >= 0 && start + width <= 1));
  assert.deepEqual(
    bars.map(({ isTrouble }) => isTrouble),
    [false, true],
  );
});

test('a label says what an event is about, and repeated events are counted', () => {
  const { bars } = waterfallOf([
    record(0, 'dhcp', 'request-ignored', { reason: 'no-reservation' }),
    record(1000, 'dhcp', 'request-ignored', { reason: 'no-reservation' }),
    record(2000, 'http', 'script-served'),
    record(3000, 'syslog', 'message-received'),
    record(4000, 'bmc', 'bmc-power-reported'),
    { ...record(5000, 'workflow', 'state-changed'), message: 'workflow is PENDING' },
  ]);
  assert.deepEqual(
    bars.map(({ label, count }) => [label, count]),
    [
      ['DHCP request ignored', 2],
      ['boot script served', 1],
      ['log messages', 1],
      ['BMC power reported', 1],
      ['workflow is PENDING', 1],
    ],
  );
});
