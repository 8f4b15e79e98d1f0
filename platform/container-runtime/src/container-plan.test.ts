/** The pure parts: volumes, users, and config.json. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PlatformError } from '@tinkerbell/platform-contract';
import { containerUser } from './container-user.ts';
import { OutputLines } from './output-lines.ts';
import { readVolume } from './volume.ts';

for (const [text, source, destination, options] of [
  ['/dev:/dev', '/dev', '/dev', ['rbind', 'rprivate', 'rw']],
  ['/a:/b//c/:ro', '/a', '/b/c', ['rbind', 'rprivate', 'ro']],
  ['/a:/b:rw,z,rslave', '/a', '/b', ['rbind', 'rslave', 'rw']],
  ['cache:/b', 'cache', '/b', ['rbind', 'rprivate', 'rw']],
] as const)
  test(`the volume ${text}`, () =>
    assert.deepEqual(readVolume(text), { source, destination, options, isNamed: !source.startsWith('/') }));

for (const text of [
  '',
  '/a',
  'a/b:/c',
  '../a:/b',
  '/a:b',
  '/a:/',
  '/a:/b/../c',
  '/a:/b:x',
  '/a:/b:ro:more',
  '/a\0:/b',
])
  test(`the volume ${JSON.stringify(text)} is refused and quoted`, () =>
    assert.throws(
      () => readVolume(text),
      (error) => error instanceof PlatformError && error.message.includes(JSON.stringify(text)),
    ));

const passwd = 'root:x:0:0::/root:/bin/sh\nbob:x:1000:1001::/home/bob:/bin/sh\n';
const group = 'root:x:0:\nbob:x:1001:\ndisk:x:6:alice,bob\n';
for (const [text, uid, gid, additionalGids, home] of [
  ['', 0, 0, [], '/root'],
  ['bob', 1000, 1001, [6], '/home/bob'],
  ['1000', 1000, 1001, [6], '/home/bob'],
  ['4242', 4242, 0, [], '/'],
  ['bob:disk', 1000, 6, [], '/home/bob'],
  ['0:99', 0, 99, [], '/root'],
] as const)
  test(`the user "${text}"`, () =>
    assert.deepEqual(containerUser(text, { passwd, group }), { uid, gid, additionalGids, home }));

test('an unknown user is named, and any file is read', () => {
  assert.throws(
    () => containerUser('eve', { passwd, group }),
    /the user "eve", which is not in its \/etc\/passwd/,
  );
  assert.throws(() => containerUser('bob:none', { passwd, group }), /the group "none"/);
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, file) => {
      try {
        containerUser(text, { passwd: file, group: file });
      } catch (error) {
        assert.ok(error instanceof PlatformError);
      }
    }),
  );
});

test('lines are split wherever the chunks are, and bounded', () => {
  const text = 'one\r\ntwo ü\n\nlast';
  for (let at = 0; at <= Buffer.byteLength(text); at += 1) {
    const lines: string[] = [];
    const output = new OutputLines((line) => void lines.push(line));
    output.take(Buffer.from(text).subarray(0, at));
    output.take(Buffer.from(text).subarray(at));
    output.end();
    assert.deepEqual(lines, ['one', 'two ü', 'last']);
  }
  const long: string[] = [];
  const output = new OutputLines((line) => void long.push(line));
  output.take(Buffer.alloc(100_000, 'x'));
  assert.ok(long.length >= 6 && long.every((line) => line.length <= 16 * 1024));
});
