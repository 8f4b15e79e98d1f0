import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';

import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';
import { partitionTypes, readGuid } from '@tinkerbell/gpt';

import { cidataioAction } from './cidataio.ts';
import { fatImage } from './fat-image.ts';
import { planPartition } from './plan-partition.ts';
import { readSettings } from './settings.ts';

const directory = mkdtempSync(join(tmpdir(), 'cidataio-test-'));
after(() => rmSync(directory, { recursive: true }));

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { stdio: 'pipe' }).toString();

function written(name: string, content: Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

for (const sectorBytes of [512, 4096])
  test(
    `files are read back by mtools and fsck, sectors of ${sectorBytes} bytes`,
    { skip: missingPrograms('mtype', 'mlabel', 'fsck.fat') },
    () => {
      const contents = fc.array(fc.uint8Array({ maxLength: 70_000 }), { minLength: 1, maxLength: 4 });
      const names = ['user-data', 'meta-data', 'network-config', 'exactly-13-ch'];
      const path = join(directory, 'volume');
      fc.assert(
        fc.property(contents, (list) => {
          const files = list.map((content, index) => ({ name: names[index] ?? '', content }));
          const image = fatImage({
            sectorBytes,
            sectors: (2 * 1024 * 1024) / sectorBytes,
            label: 'cidata',
            volumeId: 1,
            files,
          });
          assert.ok(image);
          writeFileSync(path, image);
          run('fsck.fat', '-n', path);
          for (const { name, content } of files)
            assert.deepEqual(
              execFileSync('mtype', ['-i', path, `::${name}`], { stdio: 'pipe' }),
              Buffer.from(content),
            );
        }),
        { numRuns: 10 },
      );
      assert.match(run('mlabel', '-s', '-i', path, '::'), /CIDATA/);
    },
  );

test('files that do not fit are reported, at every size', () => {
  const volume = { sectorBytes: 512, sectors: 4096, label: 'cidata', volumeId: 1 };
  for (const [bytes, fits] of [
    [2_000_000, true],
    [2_097_152, false],
  ] as const) {
    const image = fatImage({ ...volume, files: [{ name: 'user-data', content: new Uint8Array(bytes) }] });
    assert.equal(image !== undefined, fits);
  }
});

test(
  'adds the partition to a disk larger than its image, and replaces the files in a second run',
  {
    skip: missingPrograms('sgdisk', 'mtype'),
  },
  async (context) => {
    const image = join(directory, 'disk');
    run('truncate', '-s', '40M', image);
    run('sgdisk', '-n', '1:0:+10M', '-c', '1:root', '-n', '5:0:+5M', image);
    // As image2disk leaves it: the backup of the table is in the middle.
    run('truncate', '-s', '64M', image);
    const bootCode = Buffer.alloc(440, 'GRUB');
    run('dd', `of=${image}`, `if=${written('boot-code', bootCode)}`, 'conv=notrunc', 'status=none');
    const device = loopDevice(context, image);
    if (device === undefined) return;
    for (const userData of ['#cloud-config\n', 'ä'.repeat(100_000)]) {
      const environment = { DEST_DISK: device, USER_DATA: userData, META_DATA: 'instance-id: a\n' };
      const result = await cidataioAction.run(environment, quietContext());
      assert.ok(result.ok, result.ok ? '' : result.error);
      assert.match(result.message, /wrote user-data, meta-data to (new )?partition 2 \(cidata\) of /);
      assert.match(run('sgdisk', '-v', image), /No problems found/);
      assert.deepEqual(readFileSync(image).subarray(0, bootCode.length), bootCode, 'a BIOS starts it');
      const table = run('sgdisk', '-p', image);
      assert.match(table, /1 +2048 +22527 .* root/);
      const start = Number(/^ +2 +(\d+).* 0700 +cidata$/m.exec(table)?.[1]);
      assert.equal(start, 124_928);
      const place = `${image}@@${start * 512}`;
      assert.equal(run('mtype', '-i', place, '::user-data'), userData);
      assert.equal(run('mtype', '-i', place, '::meta-data'), 'instance-id: a\n');
      assert.throws(() => run('mtype', '-i', place, '::network-config'));
    }
  },
);

test('a disk with an MBR, or without a table, is refused and unchanged', async (context) => {
  const image = join(directory, 'mbr');
  run('truncate', '-s', '16M', image);
  const device = loopDevice(context, image);
  if (device === undefined) return;
  const before = readFileSync(image);
  const result = await cidataioAction.run({ DEST_DISK: device, USER_DATA: 'x' }, quietContext());
  assert.match(result.ok ? '' : result.error, /has no GPT/);
  assert.ok(readFileSync(image).equals(before));
});

test('a planned partition never touches another one, wherever they are', () => {
  const id = readGuid('00000000-0000-4000-8000-000000000000', 'id');
  const geometry = { sectorBytes: 512, sectors: 131_072 };
  const extents = fc.uniqueArray(fc.integer({ min: 0, max: 62 }), { maxLength: 63 });
  fc.assert(
    fc.property(extents, fc.integer({ min: 0, max: 8_000_000 }), (places, contentBytes) => {
      const partitions = places.map((place, index) => ({
        number: index + 1,
        type: partitionTypes['linux-filesystem'],
        id: readGuid(`00000000-0000-4000-8000-0000000001${String(index).padStart(2, '0')}`, 'id'),
        name: 'x',
        attributes: {},
        firstSector: place * 2048 + 34,
        lastSector: place * 2048 + 2033,
      }));
      const table = { diskId: id, entryCount: 128, partitions };
      const plan = planPartition({ table, geometry, contentBytes, id });
      if ('error' in plan) return;
      const { firstSector, lastSector } = plan.partition;
      assert.ok(firstSector >= 2048 && lastSector <= 131_072 - 34 && firstSector % 2048 === 0);
      assert.ok((lastSector - firstSector + 1) * 512 > contentBytes);
      for (const other of partitions)
        assert.ok(other.lastSector < firstSector || other.firstSector > lastSector);
    }),
  );
});

test('names every wrong variable', () => {
  assert.throws(() => readSettings({ DEST_DISK: 'sda' }), /DEST_DISK=sda.*set at least one of USER_DATA/);
  assert.throws(
    () => readSettings({ DEST_DISK: '/dev/sda', USER_DATA: 'x'.repeat(2_097_153) }),
    /USER_DATA has 2097153 bytes; at most 2097152/,
  );
});
