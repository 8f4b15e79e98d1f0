import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { uBootScript } from '../index.ts';

test('is an image with valid checksums, with the script as its only part', () => {
  const image = uBootScript();
  const view = new DataView(image.buffer);
  assert.equal(view.getUint32(0), 0x27051956);
  const payload = image.subarray(64);
  assert.equal(view.getUint32(12), payload.length);
  assert.equal(view.getUint32(24), crc32(payload));
  const header = image.slice(0, 64).fill(0, 4, 8);
  assert.equal(view.getUint32(4), crc32(header));
  assert.equal(view.getUint32(64), payload.length - 8);
  assert.match(
    new TextDecoder().decode(payload.subarray(8)),
    /^echo [^\n]+\nif pxe get; then pxe boot; fi\n$/,
  );
});
