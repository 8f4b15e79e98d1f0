import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';

import { signaturesIn } from './disk-signatures.ts';
import { EnvironmentReader } from './environment.ts';
import { readDevices } from './device-list.ts';
import { assertInstalled, programText } from './program-text.ts';
import { quietContext } from './testing/action-run.ts';

const directory = mkdtempSync(join(tmpdir(), 'disk-signatures-'));
after(() => rmSync(directory, { recursive: true }));

test('the list of wipefs is read, each type once', () => {
  const entry = (type: string) => ({ device: 'sda', offset: '0x1fe', type, uuid: null, label: null });
  const text = JSON.stringify({ signatures: [entry('gpt'), entry('gpt'), entry('PMBR')] });
  assert.deepEqual(signaturesIn(text), ['gpt', 'PMBR']);
  assert.deepEqual(signaturesIn('\n'), []);
  for (const wrong of ['{}', '[]', '{"signatures":[{}]}', 'sda: gpt', '{"signatures":{}}'])
    assert.equal(signaturesIn(wrong), undefined, wrong);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (any) => {
      signaturesIn(any);
    }),
    { seed: 19 },
  );
});

test('lists of devices have absolute paths, each once', () => {
  const devicesIn = (text: string) => {
    const read = new EnvironmentReader('a', { DEVICES: text });
    const devices = readDevices(read, 'DEVICES', 'the disks');
    read.finish();
    return devices;
  };
  assert.deepEqual(devicesIn('/dev/a, /dev/disk/by-id/b,'), ['/dev/a', '/dev/disk/by-id/b']);
  assert.throws(() => devicesIn('sda,/dev/b c'), /sda must be an absolute path.*\/dev\/b c must be/);
  assert.throws(() => devicesIn('/dev/a,/dev/a'), /DEVICES names a device twice/);
  assert.throws(() => devicesIn(''), /DEVICES is missing: set it to the disks/);
  assert.throws(
    () => devicesIn(Array.from({ length: 257 }, (_, index) => `/dev/${index}`).join(',')),
    /names more than 256 devices/,
  );
});

test('the whole standard output is returned, up to its limit', async () => {
  const { signal } = quietContext();
  const script = 'cat; echo a warning >&2; head -c "$0" /dev/zero | tr "\\0" x';
  const text = (bytes: number) =>
    programText('sh', ['-c', script, String(bytes)], { signal, input: Buffer.from('in ') });
  assert.equal(await text(100_000), `in ${'x'.repeat(100_000)}`);
  await assert.rejects(text(1024 * 1024), /printed more than 1048576 bytes/);
  await assert.rejects(
    programText('sh', ['-c', 'echo reason >&2; exit 3'], { signal }),
    /^ActionError: sh -c .* ended with 3: reason$/,
  );
});

test('a program is found in PATH if it can run', async () => {
  await assertInstalled('sh', 'dash');
  writeFileSync(join(directory, 'only-a-file'), '');
  const before = process.env['PATH'];
  process.env['PATH'] = `${directory}:${before}`;
  try {
    await assert.rejects(
      assertInstalled('only-a-file', 'x'),
      /no program only-a-file: install the Debian package x/,
    );
  } finally {
    process.env['PATH'] = before;
  }
});
