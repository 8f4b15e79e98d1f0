import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { decodeHeader, encodeHeader, paddingBytes } from './index.ts';

test('headers have what was written, also of files above 8 GiB', () => {
  for (const size of [0, 1, 511, 512, 8 * 1024 ** 3 - 1, 8 * 1024 ** 3, 2 ** 50]) {
    const name = 'blobs/sha256/ab';
    const header = decodeHeader(encodeHeader({ kind: 'file', name, mode: 0o640, size, modifiedSeconds: 7 }));
    assert.ok(header);
    assert.deepEqual([header.kind, header.name, header.size], ['file', name, size]);
    assert.deepEqual([header.mode, header.modifiedSeconds, header.userId], [0o640, 7, 0]);
  }
});

test('tar reads what is written', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tar-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const content = new TextEncoder().encode('content');
  const path = join(folder, 'own.tar');
  const parts = [
    encodeHeader({ kind: 'directory', name: 'tmp', mode: 0o1777 }),
    encodeHeader({ kind: 'symbolic-link', name: 'link', mode: 0o777, linkName: 'a/b' }),
    encodeHeader({ kind: 'file', name: 'a/b', mode: 0o644, size: content.length }),
    content,
    new Uint8Array(paddingBytes(content.length)),
    new Uint8Array(1024),
  ];
  writeFileSync(path, Buffer.concat(parts));
  assert.equal(execFileSync('tar', ['-xOf', path, 'a/b'], { encoding: 'utf8' }), 'content');
  const listing = execFileSync('tar', ['-tvf', path], { encoding: 'utf8' });
  assert.match(
    listing,
    /^drwxrwxrwt root\/root .* tmp\/\nlrwxrwxrwx root\/root .* link -> a\/b\n-rw-r--r-- root\/root .* a\/b\n$/,
  );
});

test('a long name is split at a slash, and an owner is written', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tar-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const names = [
    `${'a/'.repeat(49)}bcd`,
    `${'d'.repeat(155)}/${'n'.repeat(100)}`,
    `${'d'.repeat(60)}/${'e'.repeat(60)}/${'f'.repeat(60)}`,
    `${'d'.repeat(100)}/x`,
  ];
  const headers = names.map((name) => encodeHeader({ kind: 'file', name, mode: 0o600, owner: 65_532 }));
  for (const [index, header] of headers.entries()) {
    const read = decodeHeader(header);
    assert.deepEqual([read?.name, read?.userId, read?.groupId], [names[index], 65_532, 65_532]);
  }
  const path = join(folder, 'long.tar');
  writeFileSync(path, Buffer.concat([...headers, new Uint8Array(1024)]));
  assert.deepEqual(execFileSync('tar', ['-tf', path], { encoding: 'utf8' }).trim().split('\n'), names);
  assert.match(execFileSync('tar', ['-tvf', path], { encoding: 'utf8' }), /^-rw------- 65532\/65532 /);
  const directory = encodeHeader({
    kind: 'directory',
    name: `${'d'.repeat(60)}/${'e'.repeat(60)}`,
    mode: 0o700,
  });
  assert.match(decodeHeader(directory)?.name ?? '', /^d{60}\/e{60}\/?$/);
  for (const name of [
    `${'d'.repeat(156)}/n`,
    `d/${'n'.repeat(101)}`,
    `/${'n'.repeat(100)}`,
    'a /'.repeat(50),
  ])
    assert.throws(() => encodeHeader({ kind: 'file', name, mode: 0 }), /ASCII characters/, name);
});

test('a name that does not fit is refused', () => {
  for (const name of ['', 'a b', 'ä', 'x'.repeat(101)]) {
    assert.throws(() => encodeHeader({ kind: 'directory', name, mode: 0 }), /must have 1 to 100 ASCII/);
    assert.throws(() => encodeHeader({ kind: 'file', name, mode: 0 }), /must have 1 to 100 ASCII/);
    const link = { kind: 'symbolic-link', name: 'a', mode: 0, linkName: name } as const;
    assert.throws(() => encodeHeader(link), /must have 1 to 100 ASCII/);
  }
});
