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
    encodeHeader({ kind: 'symbolic-link', name: 'link', mode: 0o777, linkName: 'a/b' }),
    encodeHeader({ kind: 'file', name: 'a/b', mode: 0o644, size: content.length }),
    content,
    new Uint8Array(paddingBytes(content.length)),
    new Uint8Array(1024),
  ];
  writeFileSync(path, Buffer.concat(parts));
  assert.equal(execFileSync('tar', ['-xOf', path, 'a/b'], { encoding: 'utf8' }), 'content');
  const listing = execFileSync('tar', ['-tvf', path], { encoding: 'utf8' });
  assert.match(listing, /^lrwxrwxrwx root\/root .* link -> a\/b\n-rw-r--r-- root\/root .* a\/b\n$/);
});

test('a name that does not fit is refused', () => {
  for (const name of ['', 'a b', 'ä', 'x'.repeat(101)]) {
    assert.throws(() => encodeHeader({ kind: 'file', name, mode: 0 }), /must have 1 to 100 ASCII/);
    const link = { kind: 'symbolic-link', name: 'a', mode: 0, linkName: name } as const;
    assert.throws(() => encodeHeader(link), /must have 1 to 100 ASCII/);
  }
});
