import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DhcpReport } from './messages.ts';
import { Outbox } from './outbox.ts';

const ANSWERED = { bytes: Uint8Array.of(1), reply: Uint8Array.of(2), droppedOptions: [] };
const PASSED = {
  bytes: Uint8Array.of(3),
  peer: { address: '192.0.2.1', port: 68 },
  networkInterface: undefined,
};
const HOW = { arrival: { port: 'dhcp', localAddresses: [] }, socket: 0, isTooMany: false } as const;

function scene() {
  const reports: DhcpReport[] = [];
  const due = new Set<() => void>();
  const clock = {
    schedule(_: number, task: () => void) {
      due.add(task);
      return () => void due.delete(task);
    },
  };
  const outbox = new Outbox({ clock, report: (report) => void reports.push(report) });
  const sizes = () =>
    reports.map((report) => (report.kind === 'packets' ? report.packets.length : report.kind));
  const later = () => {
    for (const task of due) {
      due.delete(task);
      task();
    }
  };
  return { outbox, sizes, later };
}

test('records are collected into one message', () => {
  const { outbox, sizes, later } = scene();
  for (let count = 0; count < 3; count += 1) outbox.answered(ANSWERED);
  assert.deepEqual(sizes(), []);
  later();
  assert.deepEqual(sizes(), [3]);
  later();
  assert.deepEqual(sizes(), [3]);
});

test('a packet that needs an answer leaves at once, and takes the records before it along', async () => {
  const { outbox, sizes, later } = scene();
  outbox.answered(ANSWERED);
  outbox.pass(PASSED as never, HOW);
  await Promise.resolve();
  assert.deepEqual(sizes(), [2]);
  later();
  assert.deepEqual(sizes(), [2]);
  outbox.answered(ANSWERED);
  later();
  assert.deepEqual(sizes(), [2, 1]);
});

test('records and counts leave before the thread ends', () => {
  const { outbox, sizes } = scene();
  outbox.answered(ANSWERED);
  outbox.countTooMany();
  outbox.sendAll();
  assert.deepEqual(sizes(), [1, 'counted']);
});
