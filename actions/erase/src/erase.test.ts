import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';
import fc from 'fast-check';

import { decideErase, sampleOffsets, type DiskFacts } from './decide-erase.ts';
import { eraseAction } from './erase.ts';

const directory = mkdtempSync(join(tmpdir(), 'erase-test-'));
after(() => rmSync(directory, { recursive: true }));
const MEBIBYTE = 1024 * 1024;
const SECRET = 'the secret of the last tenant; ';

function dirtyDisk(sizeBytes = 9 * MEBIBYTE + 512): string {
  const path = join(directory, 'disk');
  writeFileSync(path, Buffer.alloc(sizeBytes, SECRET));
  return path;
}

function run(disk: string, method: string): Promise<ActionResult> {
  return eraseAction.run({ ERASE_DISK: disk, ERASE_METHOD: method }, quietContext());
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, 'it must fail');
  return result.error;
}

for (const method of ['overwrite', 'discard'])
  test(
    `nothing of the old content stays: ${method}`,
    { skip: missingPrograms('blkdiscard') },
    async (context) => {
      const path = dirtyDisk();
      const device = loopDevice(context, path);
      if (device === undefined) return;
      const result = await run(device, method);
      assert.ok(result.ok, result.ok ? '' : result.error);
      assert.match(
        result.message,
        /^erased \/dev\/loop\d+ \(9 MiB\) by \w+; 1000 samples have no old content/,
      );
      execFileSync('sync');
      const bytes = readFileSync(path);
      assert.equal(bytes.length, 9 * MEBIBYTE + 512);
      assert.equal(bytes.indexOf(SECRET), -1);
      assert.ok(bytes.subarray(0, MEBIBYTE).every((byte) => byte === 0));
      const middle = bytes.subarray(2 * MEBIBYTE, 3 * MEBIBYTE);
      assert.equal(new Set(middle).size, method === 'overwrite' ? 256 : 1);
    },
  );

test('a disk in use is refused', { skip: missingPrograms('mke2fs') }, async (context) => {
  const path = dirtyDisk();
  execFileSync('mke2fs', ['-q', '-F', path], { stdio: 'pipe' });
  const device = loopDevice(context, path);
  if (device === undefined) return;
  const point = mkdtempSync(join(directory, 'mnt-'));
  execFileSync('mount', ['-t', 'ext2', device, point]);
  try {
    for (const method of ['overwrite', 'discard'])
      assert.match(errorOf(await run(device, method)), /is in use: unmount its partitions first/);
  } finally {
    execFileSync('umount', [point]);
  }
});

test('a disk that is not there, a read-only one, and a method of firmware are refused', async (context) => {
  assert.match(errorOf(await run('/tmp', 'discard')), /is not a block device; this machine has/);
  const device = loopDevice(context, dirtyDisk(), ['-r']);
  if (device === undefined) return;
  assert.match(errorOf(await run(device, 'overwrite')), /is not erased: it is read-only/);
  assert.match(
    errorOf(await run(device, 'nvme-format')),
    /nvme-format is not supported, only overwrite or discard: run nvme/,
  );
});

test('every other combination of facts is refused, never downgraded', () => {
  const facts = fc.record<DiskFacts>({
    sizeBytes: fc.constantFrom(0, 512, 1e12),
    isPartition: fc.boolean(),
    discardMaxBytes: fc.constantFrom(0, 4096),
    isReadOnly: fc.boolean(),
  });
  const method = fc.constantFrom('overwrite', 'discard', 'nvme-sanitize', 'constructor', '');
  fc.assert(
    fc.property(method, facts, (wanted, disk) => {
      const decision = decideErase(wanted, disk);
      const isKnown = wanted === 'overwrite' || wanted === 'discard';
      const isPossible = !disk.isPartition && disk.sizeBytes > 0 && !disk.isReadOnly;
      const expected = isKnown && isPossible && (wanted === 'overwrite' || disk.discardMaxBytes > 0);
      assert.equal(decision.ok, expected);
      if (decision.ok) assert.equal(decision.method, wanted);
    }),
  );
});

test('samples are whole blocks from the first to the last', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 2000 }), (sizeBytes, count) => {
      const offsets = sampleOffsets(sizeBytes, count);
      const blocks = Math.floor(sizeBytes / 4096);
      assert.equal(new Set(offsets).size, Math.min(count, blocks));
      for (const offset of offsets) assert.ok(offset % 4096 === 0 && offset + 4096 <= sizeBytes);
      if (offsets.length > 1) assert.deepEqual([offsets[0], offsets.at(-1)], [0, (blocks - 1) * 4096]);
    }),
  );
});
