import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arm64Segments, freeMemory } from './arm64-segments.ts';
import { withChosen } from './device-tree.ts';
import { propertiesOf, treeOf } from './testing/small-tree.ts';

const MEBIBYTE = 1024 * 1024;
const IOMEM = `00000000-03ffffff : 0.flash flash@0
40000000-7fffffff : System RAM
  40210000-41deffff : Kernel code
  41f00000-426effff : Kernel data
  7c000000-7fffffff : reserved
80000000-8000ffff : System RAM
`;

function image(bytes: number, textOffset = 0): Buffer {
  const kernel = Buffer.alloc(bytes);
  kernel.writeBigUInt64LE(BigInt(textOffset), 8);
  kernel.writeBigUInt64LE(BigInt(bytes + MEBIBYTE), 16);
  kernel.write('ARMd', 56, 'latin1');
  return kernel;
}

const request = {
  kernel: image(3 * MEBIBYTE),
  initramfs: Buffer.alloc(5000, 7),
  commandLine: 'quiet',
  deviceTree: treeOf({ bootargs: 'old', 'kaslr-seed': 'random', 'linux,uefi-system-table': 'kept' }),
};

test('memory is free where the kernel and the firmware keep nothing', () => {
  assert.deepEqual(freeMemory(IOMEM), [
    { from: 0x40000000, to: 0x40210000 },
    { from: 0x41df0000, to: 0x41f00000 },
    { from: 0x426f0000, to: 0x7c000000 },
    { from: 0x80000000, to: 0x80010000 },
  ]);
  assert.deepEqual(freeMemory('00000000-00000000 : System RAM\n'), [{ from: 0, to: 1 }], 'without root');
});

test('the parts are in free memory, in pages of their own, and begin at the code', () => {
  const { entry, segments } = arm64Segments(request, freeMemory(IOMEM));
  const [kernel, initramfs, tree, start] = segments;
  assert.equal(kernel?.at, 0x42800000, 'a border of 2 MiB');
  assert.ok((kernel?.size ?? 0) >= 4 * MEBIBYTE, 'with the memory that the kernel clears');
  assert.equal(entry, start?.at);
  let untilAt = 0x426f0000;
  for (const { at, size, bytes } of segments) {
    assert.ok(at >= untilAt && at % 4096 === 0 && size % 4096 === 0 && bytes.length <= size);
    untilAt = at + size;
  }
  assert.ok(untilAt <= 0x7c000000);
  const code = Buffer.from(start?.bytes ?? []);
  assert.deepEqual(
    [code.readBigUInt64LE(24), code.readBigUInt64LE(32)],
    [BigInt(kernel?.at ?? 0), BigInt(tree?.at ?? 0)],
  );
  const chosen = propertiesOf(tree?.bytes ?? new Uint8Array());
  assert.deepEqual(Object.keys(chosen).toSorted(), [
    'bootargs',
    'linux,initrd-end',
    'linux,initrd-start',
    'linux,uefi-system-table',
  ]);
  assert.equal(chosen['bootargs']?.toString(), 'quiet\0');
  assert.equal(chosen['linux,initrd-end']?.readBigUInt64BE(), BigInt((initramfs?.at ?? 0) + 5000));
});

test('a kernel that is not an Image, and a machine without room, are refused', () => {
  const free = freeMemory(IOMEM);
  assert.throws(() => arm64Segments({ ...request, kernel: Buffer.alloc(100) }, free), /not an arm64 Image/);
  assert.throws(() => arm64Segments({ ...request, kernel: image(4096, 5) }, free), /text offset 5/);
  assert.throws(
    () => arm64Segments({ ...request, initramfs: Buffer.alloc(1 << 30) }, free),
    /no free range of memory has 10\d\d MiB/,
  );
  assert.throws(
    () => arm64Segments({ ...request, deviceTree: treeOf({}, 'other') }, free),
    /no node \/chosen/,
  );
});

test('no damaged device tree is read beyond its end', () => {
  const whole = treeOf({ bootargs: 'old' });
  for (let length = 0; length < whole.length; length += 1)
    assert.throws(() => withChosen(whole.subarray(0, length), {}), /device tree/);
  for (let at = 0; at < whole.length; at += 1) {
    const damaged = Buffer.from(whole);
    damaged[at] = 0xff;
    try {
      withChosen(damaged, { bootargs: undefined });
    } catch (thrown) {
      assert.equal((thrown as Error).name, 'DeviceTreeError', `byte ${at}`);
    }
  }
});
