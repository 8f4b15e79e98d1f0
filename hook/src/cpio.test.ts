import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { encodeCpio, type CpioEntry } from './cpio.ts';

const FILE: CpioEntry = { kind: 'file', path: 'etc/hosts', mode: 0o644, content: Buffer.from('hello') };

test('writes the newc header fields in order', () => {
  const bytes = Buffer.from(encodeCpio([{ ...FILE, path: 'a' }], 0x10));
  assert.equal(
    bytes.subarray(0, 116).toString(),
    [
      '070701', // magic
      '00000001', // inode
      '000081a4', // regular file, 0644
      '00000000', // owner
      '00000000', // group
      '00000001', // links
      '00000010', // time
      '00000005', // size
      '0000000000000000', // device
      '0000000000000000', // device node
      '00000002', // name with its zero byte
      '00000000', // checksum
      'a\0', // name, padded to a multiple of 4
      '\0\0\0\0',
    ]
      .join('')
      .slice(0, 112)
      .concat('hell'),
  );
});

test('adds parent directories and sorts names', () => {
  const text = Buffer.from(encodeCpio([FILE, { ...FILE, path: 'bin/b' }, { ...FILE, path: 'bin/a' }], 0));
  const names = ['bin\0', 'bin/a\0', 'bin/b\0', 'etc\0', 'etc/hosts\0', 'TRAILER!!!\0'];
  const places = names.map((name) => text.indexOf(name));
  assert.ok(places.every((place) => place > 0));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
});

test('writes the same bytes whatever the order of entries', () => {
  const entries: CpioEntry[] = [
    FILE,
    { kind: 'link', path: 'lib64', target: 'lib' },
    { kind: 'character-device', path: 'dev/console', mode: 0o600, major: 5, minor: 1 },
  ];
  assert.deepEqual(encodeCpio(entries, 7), encodeCpio([...entries].reverse(), 7));
});

test('is unpacked by busybox cpio', (context) => {
  let listing: string;
  try {
    listing = execFileSync('busybox', ['cpio', '-tv'], {
      input: encodeCpio([FILE, { kind: 'link', path: 'lib64', target: 'lib' }], 0),
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    context.skip('busybox is not installed');
    return;
  }
  assert.match(listing, /-rw-r--r-- .* 5 .*etc\/hosts/);
  assert.match(listing, /lib64 -> lib/);
});
