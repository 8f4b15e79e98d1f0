import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { quietContext, serve } from '@tinkerbell/action-kit/testing';
import { loadFetched, readFetchedKernel } from './fetched-kernel.ts';

const KERNEL = Buffer.from('no kernel');
const SHA256 = createHash('sha256').update(KERNEL).digest('hex');

async function result(changes: Readonly<Record<string, string>>, context: Parameters<typeof serve>[0]) {
  const url = await serve(context, (_request, response) => response.end(KERNEL));
  const settings = readFetchedKernel({ KERNEL_URL: `${url}/linux`, INITRD_URL: `${url}/initrd`, ...changes });
  assert.ok(settings !== undefined);
  return loadFetched(settings, quietContext());
}

test('a fetched file goes to the kernel, which refuses what is not a kernel', async (context) => {
  const checksum = { KERNEL_CHECKSUM: `sha256:${SHA256.toUpperCase()}` };
  await assert.rejects(result(checksum, context), /the kernel refused to load http:.*\/linux: /);
});

test('a file with another checksum is not started', async (context) => {
  const checksum = { INITRD_CHECKSUM: `sha256:${'0'.repeat(64)}` };
  await assert.rejects(
    result(checksum, context),
    new RegExp(`/initrd has the SHA-256 ${SHA256}, expected 0{64}`),
  );
});

test('all problems of the settings are reported at once', () => {
  assert.equal(readFetchedKernel({ BLOCK_DEVICE: '/dev/sda1' }), undefined);
  assert.throws(
    () =>
      readFetchedKernel({
        KERNEL_URL: 'ftp://server/linux',
        KERNEL_CHECKSUM: 'abc',
        BLOCK_DEVICE: '/dev/sda1',
      }),
    {
      message:
        'kexec: KERNEL_URL=ftp://server/linux must be an http or https address; ' +
        'KERNEL_CHECKSUM=abc must be sha256: and 64 hexadecimal digits; ' +
        'BLOCK_DEVICE is for a kernel on a disk: remove it, or KERNEL_URL',
    },
  );
});
