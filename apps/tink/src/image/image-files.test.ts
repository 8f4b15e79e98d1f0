import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { openImageFiles } from './image-files.ts';

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tink-image-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('random files are no archive, and never more than an error', async (context) => {
  const path = join(folderOf(context), 'random.tar');
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 600 }).filter((one) => one.some(Boolean));
  await fc.assert(
    fc.asyncProperty(bytes, async (content) => {
      writeFileSync(path, content);
      await assert.rejects(() => openImageFiles(path), /is not a tar archive/);
    }),
  );
});

test('an archive of tar is read', async (context) => {
  const folder = folderOf(context);
  const large = Buffer.alloc(200_000, 'large');
  writeFileSync(join(folder, 'large.bin'), large);
  writeFileSync(join(folder, 'index.json'), '[1]');
  execFileSync('tar', ['-cf', join(folder, 'image.tar'), '-C', folder, './index.json', './large.bin']);
  const files = await openImageFiles(join(folder, 'image.tar'));
  assert.equal(new TextDecoder().decode(await files.read('index.json')), '[1]');
  const chunks = await Array.fromAsync(files.chunks('large.bin'));
  assert.deepEqual(Buffer.concat(chunks), readFileSync(join(folder, 'large.bin')));
  assert.equal(await files.size('missing'), undefined);
  await assert.rejects(() => openImageFiles(join(folder, 'index.json')), /is not a tar archive/);
});
