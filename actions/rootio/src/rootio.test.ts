/** The whole action on loop devices, with the programs that format. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import type { ActionResult } from '@tinkerbell/action-kit';
import {
  addPartitions,
  loopDevice,
  missingPrograms,
  quietContext,
  serve,
} from '@tinkerbell/action-kit/testing';

import { rootioAction } from './rootio.ts';

const directory = mkdtempSync(join(tmpdir(), 'rootio-test-'));
after(() => rmSync(directory, { recursive: true }));
const MEBIBYTE = 1024 * 1024;
const DISK_BYTES = 1200 * MEBIBYTE;
const skip = missingPrograms('sfdisk', 'sgdisk', 'mkfs.xfs', 'mkfs.btrfs', 'mkfs.fat', 'mke2fs', 'blkid');

let disks = 0;
/** A sparse disk with old bytes at its start, within the first GiB, and at its end. */
function dirtyDisk(context: TestContext, options: readonly string[] = ['-P']): string | undefined {
  disks += 1;
  const path = join(directory, `disk-${disks}`);
  writeFileSync(path, '');
  truncateSync(path, DISK_BYTES);
  const file = openSync(path, 'r+');
  for (const at of [0, 1000 * MEBIBYTE, DISK_BYTES - MEBIBYTE])
    writeSync(file, Buffer.alloc(MEBIBYTE, 0xaa), 0, MEBIBYTE, at);
  closeSync(file);
  return loopDevice(context, path, options);
}

function isZero(device: string, at: number): boolean {
  const file = openSync(device, 'r');
  const bytes = Buffer.alloc(MEBIBYTE, 1);
  readSync(file, bytes, 0, MEBIBYTE, at);
  closeSync(file);
  return bytes.every((byte) => byte === 0);
}

function run(
  command: string,
  storage: object,
  environment: Record<string, string> = {},
): Promise<ActionResult> {
  const file = join(directory, 'metadata.json');
  writeFileSync(file, JSON.stringify({ metadata: { instance: { storage } } }));
  return rootioAction.run(
    { TEST: '1', JSON_FILE: file, ...environment },
    quietContext({ command: [command] }),
  );
}

function assertOk(result: ActionResult): void {
  assert.ok(result.ok, result.ok ? '' : result.error);
}

function tableOf(device: string): { label: string; partitions: Record<string, unknown>[] } {
  return JSON.parse(execFileSync('sfdisk', ['--json', device], { stdio: 'pipe' }).toString()).partitiontable;
}

const sector = (mebibytes: number): number => mebibytes * 2048;
const PARTITIONS = [
  { label: 'BIOS', number: 1, size: sector(1) },
  { label: 'EFI', number: 2, size: sector(64) },
  { label: 'SWAP', number: 3, size: sector(64) },
  { label: 'ROOT', number: 4, size: 0 },
];

test('partitions with the metadata of a server, and wipes first', { skip }, async (context) => {
  const device = dirtyDisk(context);
  if (device === undefined) return;
  const address = new URL(
    await serve(context, (request, response) => {
      if (request.url !== '/metadata') response.writeHead(404);
      response.end(
        JSON.stringify({
          metadata: {
            instance: {
              storage: { disks: [{ device, partitions: PARTITIONS, wipe_table: true }], filesystems: null },
            },
          },
        }),
      );
    }),
  );
  const environment = { MIRROR_HOST: address.hostname, METADATA_SERVICE_PORT: address.port };
  const result = await rootioAction.run(environment, quietContext({ command: ['partition'] }));
  assert.deepEqual(result, { ok: true, message: `partition: ${device}` });
  assert.match(execFileSync('sgdisk', ['--verify', device]).toString(), /No problems found/);
  const { label, partitions } = tableOf(device);
  assert.equal(label, 'gpt');
  assert.deepEqual(
    partitions.map(({ start, size, name, type }) => [start, size, name, type]),
    [
      [2048, sector(1), 'BIOS', '21686148-6449-6E6F-744E-656564454649'],
      [sector(2), sector(64), 'EFI', 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B'],
      [sector(66), sector(64), 'SWAP', '0657FD6D-A4AB-43C4-84E5-0933C84B4F4F'],
      [sector(130), sector(1069), 'ROOT', '0FC63DAF-8483-4772-8E79-3D69D8477DE4'],
    ],
  );
  assert.ok(isZero(device, 1000 * MEBIBYTE));
});

test('partitions a disk with sectors of 4096 bytes', { skip }, async (context) => {
  const device = dirtyDisk(context, ['-b', '4096']);
  if (device === undefined) return;
  assertOk(await run('partition', { disks: [{ device, partitions: PARTITIONS }] }));
  assert.match(execFileSync('sgdisk', ['--verify', device]).toString(), /No problems found/);
  assert.equal(tableOf(device).partitions[1]?.['size'], (64 * MEBIBYTE) / 4096);
  assert.ok(!isZero(device, 1000 * MEBIBYTE), 'without wipe_table the content stays');
});

test('writes an MBR over a GPT', { skip }, async (context) => {
  const device = dirtyDisk(context);
  if (device === undefined) return;
  assertOk(await run('partition', { disks: [{ device, partitions: PARTITIONS }] }));
  const partitions = [
    { label: 'FAT32_ACTIVE', number: 1, size: sector(64) },
    { label: 'SWAP', number: 2, size: sector(64) },
    { label: 'LINUX', number: 3, size: 0 },
  ];
  assertOk(await run('partition', { disks: [{ device, partitions }] }, { MBR: 'true' }));
  const table = tableOf(device);
  assert.equal(table.label, 'dos');
  assert.deepEqual(
    table.partitions.map(({ start, type, bootable }) => [start, type, bootable]),
    [
      [2048, 'c', true],
      [sector(65), '82', undefined],
      [sector(129), '83', undefined],
    ],
  );
  assert.doesNotMatch(execFileSync('blkid', ['-p', device]).toString(), /gpt/);
});

test('formats and mounts the partitions that it made', { skip }, async (context) => {
  const device = dirtyDisk(context);
  if (device === undefined) return;
  assertOk(
    await run('partition', {
      disks: [
        {
          device,
          partitions: ['ext4', 'ext3', 'ext2', 'vfat', 'btrfs', 'xfs'].map((label, index) => ({
            label,
            number: index + 1,
            size: index === 5 ? 0 : sector(120),
          })),
        },
      ],
    }),
  );
  const removePartitions = addPartitions(device);
  const formats = ['ext4', 'ext3', 'ext2', 'vfat', 'btrfs', 'xfs'];
  const filesystems = formats.map((format, index) => ({
    mount: {
      device: `${device}p${index + 1}`,
      format,
      point: join(directory, 'mnt', format),
      create: { options: null },
    },
  }));
  for (let round = 0; round < 2; round += 1) assertOk(await run('format', { filesystems }));
  for (const { mount } of filesystems)
    assert.match(
      execFileSync('blkid', ['-p', mount.device]).toString(),
      new RegExp(`TYPE="${mount.format}"`),
    );
  const known = execFileSync('cat', ['/proc/filesystems']).toString();
  const mountable = filesystems.filter(({ mount }) => known.includes(`\t${mount.format}\n`));
  const unmount = () => mountable.forEach(({ mount }) => execFileSync('umount', [mount.point]));
  assertOk(await run('mount', { filesystems: mountable }));
  try {
    assert.ok(mountable.length > 0, 'no file system can be mounted here');
    for (const { mount } of mountable) execFileSync('mountpoint', ['-q', mount.point]);
    const busy = await run('partition', { disks: [{ device, partitions: PARTITIONS }] });
    assert.match(errorOf(busy), /is in use: unmount its partitions first/);
  } finally {
    unmount();
    removePartitions();
  }
});

test('wipes start and end', { skip }, async (context) => {
  const device = dirtyDisk(context);
  if (device === undefined) return;
  assertOk(await run('wipe', { disks: [{ device }] }));
  for (const at of [0, 1000 * MEBIBYTE, DISK_BYTES - MEBIBYTE]) assert.ok(isZero(device, at), `at ${at}`);
});

test('a plan that does not fit leaves the disk unchanged', { skip }, async (context) => {
  const device = dirtyDisk(context);
  if (device === undefined) return;
  const plan = (partition: object) =>
    run('partition', { disks: [{ device, wipe_table: true, partitions: [partition] }] });
  assert.match(
    errorOf(await plan({ label: 'A', number: 1, size: sector(2000) })),
    /partitions\[0\]\.size: .* do not fit/,
  );
  assert.match(
    errorOf(await plan({ label: 'A', number: 3, size: 0 })),
    /partitions\[0\]\.number: is 3 and must be 1/,
  );
  assert.match(errorOf(await plan({ label: 'x'.repeat(40), number: 1, size: 0 })), /at most 36 characters/);
  assert.ok(!isZero(device, 0));
});

test('refuses a missing disk, an unknown format, and metadata without storage', async () => {
  assert.match(
    errorOf(await run('wipe', { disks: [{ device: '/tmp' }] })),
    /is not a block device; this machine has/,
  );
  const filesystems = [{ mount: { device: '/dev/null', format: 'ntfs', point: '/mnt' } }];
  assert.match(errorOf(await run('format', { filesystems })), /"ntfs" is not supported/);
  assert.match(errorOf(await run('wipe', {})), /set spec\.metadata\.instance\.storage/);
});

test('reports its version without metadata', async () => {
  assert.ok((await rootioAction.run({}, quietContext({ command: ['version'] }))).ok);
});

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok);
  return result.error;
}
