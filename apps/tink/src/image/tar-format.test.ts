import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decodeHeader } from '@tinkerbell/tar';
import { openImageFiles } from './image-files.ts';
import { tarHeader, tarPadding } from './tar-format.ts';

test('headers have what was written, also of files above 8 GiB', () => {
  for (const size of [0, 1, 511, 512, 8 * 1024 ** 3 - 1, 8 * 1024 ** 3, 2 ** 50]) {
    const header = decodeHeader(tarHeader('blobs/sha256/ab', size));
    assert.deepEqual([header?.kind, header?.name, header?.size], ['file', 'blobs/sha256/ab', size]);
  }
});

test('random files are no archive, and never more than an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tink-tar-'));
  const path = join(folder, 'random.tar');
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 600 }).filter((one) => one.some(Boolean));
  await fc.assert(
    fc.asyncProperty(bytes, async (content) => {
      writeFileSync(path, content);
      await assert.rejects(() => openImageFiles(path), /is not a tar archive/);
    }),
  );
  rmSync(folder, { recursive: true });
});

test('tar reads what is written, and an archive of tar is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tink-tar-'));
  const content = new TextEncoder().encode('content');
  const archive = join(folder, 'own.tar');
  writeFileSync(
    archive,
    Buffer.concat([
      tarHeader('a/b', content.length),
      content,
      tarPadding(content.length),
      new Uint8Array(1024),
    ]),
  );
  assert.match(execFileSync('tar', ['-xOf', archive, 'a/b'], { encoding: 'utf8' }), /^content$/);
  writeFileSync(join(folder, 'index.json'), '[1]');
  execFileSync('tar', ['-cf', join(folder, 'others.tar'), '-C', folder, './index.json', './own.tar']);
  const files = await openImageFiles(join(folder, 'others.tar'));
  assert.equal(new TextDecoder().decode(await files.read('index.json')), '[1]');
  assert.deepEqual(Buffer.concat(await Array.fromAsync(files.chunks('own.tar'))), readFileSync(archive));
  assert.equal(await files.size('missing'), undefined);
  await assert.rejects(() => openImageFiles(join(folder, 'index.json')), /is not a tar archive/);
  rmSync(folder, { recursive: true });
});
