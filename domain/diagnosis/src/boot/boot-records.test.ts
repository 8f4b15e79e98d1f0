import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootsIn } from './boot-records.ts';

let sequence = 0;
function record(seconds: number, source: string, event: string, client = '') {
  const details = client === '' ? {} : { client, type: 'discover' };
  return { sequence: ++sequence, atMs: seconds * 1000, source, event, message: '', details };
}

const ROM = 'iPXE 1.0.0';
const start = (at: number, client: string) => [
  record(at, 'dhcp', 'offer-sent', client),
  record(at + 1, 'http', 'script-served'),
  record(at + 2, 'image', 'transfer-started'),
  record(at + 3, 'image', 'transfer-completed'),
];

test('an iPXE in a ROM that asks again after its kernel has started again', () => {
  assert.equal(bootsIn([...start(0, ROM), ...start(6, ROM), ...start(12, ROM)]).length, 3);
});

test('an iPXE that the firmware has loaded, and the in-memory OS, are parts of the same boot', () => {
  const boot = [
    record(0, 'dhcp', 'offer-sent', 'PXE firmware'),
    record(1, 'tftp', 'file-sent'),
    ...start(2, ROM),
    record(9, 'dhcp', 'offer-sent', 'an operating system'),
    record(10, 'syslog', 'message-received'),
  ];
  assert.equal(bootsIn(boot).length, 1);
});
