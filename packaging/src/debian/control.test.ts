import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TarEntry } from '@tinkerbell/hook';
import { checkedVersion, conffiles, controlText, installedKibibytes, md5sums } from './control.ts';

const entries: readonly TarEntry[] = [
  { kind: 'directory', path: 'usr', mode: 0o755 },
  { kind: 'file', path: 'usr/b', mode: 0o644, content: Buffer.from('hello') },
  { kind: 'file', path: 'usr/a', mode: 0o644, content: Buffer.alloc(1025) },
  { kind: 'file', path: 'etc/a/a.yaml', mode: 0o644, content: Buffer.from('a: 1\n') },
  { kind: 'link', path: 'usr/c', target: 'b' },
];

test('a control file has the fields that dpkg needs, and paragraphs of text', () => {
  const description = {
    name: 'a',
    version: '1.0',
    architecture: 'all',
    maintainer: 'M <m@example.org>',
    depends: ['b (>= 1)', 'c'],
    recommends: [],
    summary: 'does things',
    description: ['One.', '', 'Two.'],
  };
  assert.equal(
    controlText(description, entries),
    `Package: a
Version: 1.0
Architecture: all
Maintainer: M <m@example.org>
Installed-Size: 6
Depends: b (>= 1), c
Section: net
Priority: optional
Homepage: https://tinkerbell.org
Description: does things
 One.
 .
 Two.
`,
  );
});

test('the installed size counts whole kibibytes', () => {
  assert.equal(installedKibibytes(entries), 1 + 1 + 2 + 1 + 1);
});

test('files below etc are configuration, and all others have a sum', () => {
  assert.equal(conffiles(entries), '/etc/a/a.yaml\n');
  assert.match(md5sums(entries), /^[0-9a-f]{32} {2}usr\/a\n5d41402abc4b2a76b9719d911017c592 {2}usr\/b\n$/);
});

test('a version is one that dpkg accepts', () => {
  for (const version of ['0.1.0', '1.2~rc1', '0.1.0+git20260101.abc'])
    assert.equal(checkedVersion(version), version);
  for (const version of ['', 'v1', '1:2', '1/2', '1 2', '1_2'])
    assert.throws(() => checkedVersion(version), /--version must begin with a digit/);
});
