import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipv4 } from '@tinkerbell/wire';
import type { FleetOptions } from './fleet-options.ts';
import { differences, exchangeLine, headerLine, RecordingReader, type Exchange } from './recording.ts';

const options: FleetOptions = {
  seed: 1,
  machines: 2,
  namespace: 'lab',
  relayAddress: ipv4('198.18.0.1'),
  bootServer: { address: '192.0.2.1', dhcpPort: 67, tftpPort: 69 },
  atOnce: 10,
  perSecond: Number.POSITIVE_INFINITY,
  loss: 0.1,
  duplication: 0,
  crashes: 0,
  speed: 1,
  actions: 3,
  workMs: { min: 1, max: 2 },
  images: 'none',
  timeoutMs: 1000,
  keep: false,
  besideOthers: false,
};
const exchanges: readonly Exchange[] = [
  { atMs: 1.26, machine: 'a', what: 'on', text: '' },
  { atMs: 2, machine: 'a', what: 'sent', text: 'DHCP discover' },
  { atMs: 3, machine: 'a', what: 'got', text: 'DHCP offer' },
  { atMs: 4, machine: 'a', what: 'got', text: 'DHCP offer' },
  { atMs: 9, machine: 'a', what: 'on', text: '' },
];

function readAll(lines: readonly string[]) {
  const reader = new RecordingReader();
  for (const line of lines) reader.read(line);
  return reader.recording();
}

test('reads what it writes: options, the first time of each machine, and each answer once', () => {
  const recording = readAll([headerLine(options), ...exchanges.map(exchangeLine)]);
  assert.equal(recording.options['machines'], 2);
  assert.equal(recording.options['bootServer'], undefined);
  assert.deepEqual([...recording.onAtMs], [['a', 1.3]]);
  assert.deepEqual(recording.answers, new Map([['a', new Set(['DHCP offer'])]]));
});

test('names the line at which a file is not a recording', () => {
  assert.throws(() => readAll([]), /the recording is empty/);
  assert.throws(() => readAll(['{}']), /line 1 is not the beginning of a recording/);
  assert.throws(() => readAll(['nonsense']), /line 1 is not a JSON object/);
  assert.throws(() => readAll([headerLine(options), '[1]']), /line 2 names no machine/);
  assert.throws(() => readAll([headerLine(options), '{"machine":"a","got":"x"}']), /line 2 names no machine/);
});

test('compares which answers came, not how often or in which order', () => {
  const before = new Map([
    ['a', new Set(['offer', 'script'])],
    ['b', new Set(['offer'])],
  ]);
  const after = new Map([
    ['a', new Set(['script', 'offer'])],
    ['b', new Set(['refusal'])],
    ['c', new Set(['offer'])],
  ]);
  assert.deepEqual(differences(before, after), [
    { machine: 'b', missing: ['offer'], added: ['refusal'] },
    { machine: 'c', missing: [], added: ['offer'] },
  ]);
});
