import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import type { ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, quietContext, serve } from '@tinkerbell/action-kit/testing';
import fc from 'fast-check';

import { verifyAction } from './verify.ts';

const directory = mkdtempSync(join(tmpdir(), 'verify-test-'));
after(() => rmSync(directory, { recursive: true }));
const IMAGE = randomBytes(2 * 1024 * 1024 + 777);
const DISK = Buffer.concat([IMAGE, randomBytes(3 * 1024 * 1024 - 777)]);
const path = join(directory, 'disk');
const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function run(changes: Record<string, string>, disk = path): Promise<ActionResult> {
  return verifyAction.run({ DEST_DISK: disk, RETRY_DURATION_MINUTES: '0', ...changes }, quietContext());
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, 'it must fail');
  return result.error;
}

test('accepts a disk with the image or the checksum', async (context) => {
  writeFileSync(path, DISK);
  const images: Record<string, Buffer> = {
    '/a': IMAGE,
    '/a.gz': gzipSync(IMAGE),
    '/b': zstdCompressSync(IMAGE),
  };
  const address = await serve(context, (request, response) => response.end(images[request.url ?? '']));
  const device = loopDevice(context, path);
  for (const disk of device === undefined ? [path] : [path, device]) {
    for (const name of Object.keys(images)) {
      const result = await run({ IMG_URL: `${address}${name}` }, disk);
      assert.equal(
        result.ok ? result.message : result.error,
        `${disk}: 2.0 MiB are those of the image`.replace('.0', ''),
      );
    }
    assert.ok((await run({ DISK_CHECKSUM: sha256(DISK) }, disk)).ok);
    const part = await run(
      { DISK_CHECKSUM: sha256(IMAGE), DISK_BYTES: String(IMAGE.length), IMG_URL: `${address}/a` },
      disk,
    );
    assert.ok(part.ok, part.ok ? '' : part.error);
  }
});

test('one wrong bit anywhere is found, and its place is named', async (context) => {
  const address = await serve(context, (_request, response) => response.end(IMAGE));
  await fc.assert(
    fc.asyncProperty(fc.nat(IMAGE.length - 1), fc.nat(7), async (at, bit) => {
      const bytes = Buffer.from(DISK);
      bytes[at] = bytes[at]! ^ (1 << bit);
      writeFileSync(path, bytes);
      const result = await run({ IMG_URL: `${address}/i` });
      assert.match(errorOf(result), new RegExp(`differs from the image at byte ${at}:`));
    }),
    { numRuns: 15 },
  );
});

test('a wrong checksum, a disk that is too short, an empty image and a missing server fail', async (context) => {
  writeFileSync(path, DISK);
  const address = await serve(context, (request, response) =>
    response.end(request.url === '/long' ? Buffer.concat([DISK, Buffer.alloc(1)]) : ''),
  );
  const wrong = `sha256:${'0'.repeat(64)}`;
  assert.match(
    errorOf(await run({ DISK_CHECKSUM: wrong })),
    /SHA-256 of 5242880 bytes .* DISK_CHECKSUM says 0+$/,
  );
  assert.match(
    errorOf(await run({ DISK_CHECKSUM: wrong, DISK_BYTES: '9999999' })),
    /DISK_BYTES=9999999 is more than/,
  );
  assert.match(
    errorOf(await run({ IMG_URL: `${address}/long` })),
    /ends at byte 5242880, and the image is longer/,
  );
  assert.match(errorOf(await run({ IMG_URL: `${address}/empty` })), /is empty: there is nothing to compare/);
  assert.match(errorOf(await run({ IMG_URL: 'http://127.0.0.1:1/' })), /set RETRY_DURATION_MINUTES/);
  assert.match(errorOf(await run({})), /IMG_URL and DISK_CHECKSUM are missing/);
  assert.match(
    errorOf(await run({ DISK_CHECKSUM: 'md5:0', DEST_DISK: 'x' })),
    /DEST_DISK=x must.*DISK_CHECKSUM must/,
  );
});
