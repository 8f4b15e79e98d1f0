import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActionError } from '@tinkerbell/action-kit';
import { diskLayoutOf } from '@tinkerbell/instance-metadata';
import fc from 'fast-check';

import { readDiskLayout } from './disk-layout.ts';
import { formatCommand } from './format-command.ts';
import { readCommand, readSettings } from './settings.ts';

const MACHINE = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'a', namespace: 'b' },
} as const;

test('reads what the metadata service sends', () => {
  const text = diskLayoutOf({
    ...MACHINE,
    spec: {
      metadata: {
        instance: {
          storage: {
            disks: [
              { device: '/dev/sda', partitions: [{ label: 'EFI', number: 1, size: 4096 }, { number: 2 }] },
              { device: '/dev/sdb', wipe_table: true },
            ],
            filesystems: [
              {
                mount: {
                  device: '/dev/sda2',
                  format: 'ext4',
                  point: '/',
                  create: { options: ['-L', 'root'] },
                },
              },
            ],
          },
        },
      },
    },
  });
  assert.deepEqual(readDiskLayout(text), {
    disks: [
      {
        device: '/dev/sda',
        wipe: false,
        partitions: [
          { label: 'EFI', number: 1, size: 4096 },
          { label: '', number: 2, size: 0 },
        ],
      },
      { device: '/dev/sdb', wipe: true, partitions: [] },
    ],
    fileSystems: [{ device: '/dev/sda2', format: 'ext4', point: '/', options: ['-L', 'root'] }],
  });
});

test('a machine without storage has an empty layout', () =>
  assert.deepEqual(readDiskLayout(diskLayoutOf(MACHINE)), { disks: [], fileSystems: [] }));

for (const [text, problem] of [
  ['<html>', /not JSON; is this the address/],
  ['[]', /the document must be an object/],
  ['{"metadata":{"instance":{"storage":{"disks":{}}}}}', /metadata\.instance\.storage\.disks must be a list/],
  ['{"metadata":{"instance":{"storage":{"disks":[{}]}}}}', /storage\.disks\[0\]\.device "" must be a path/],
  [
    '{"metadata":{"instance":{"storage":{"disks":[{"device":"/d","partitions":[{"size":-1}]}]}}}}',
    /disks\[0\]\.partitions\[0\]\.size must be a whole number/,
  ],
] as const)
  test(`refuses ${text}`, () => assert.throws(() => readDiskLayout(text), problem));

test('any JSON is a layout or an ActionError', () => {
  const document = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), tie('object')),
    object: fc.dictionary(
      fc.constantFrom(
        'metadata',
        'instance',
        'storage',
        'disks',
        'filesystems',
        'mount',
        'device',
        '__proto__',
      ),
      fc.oneof(tie('value'), fc.array(tie('value'), { maxLength: 2 })),
      { maxKeys: 3 },
    ),
  })).object;
  fc.assert(
    fc.property(document, (value) => {
      try {
        readDiskLayout(JSON.stringify(value));
      } catch (error) {
        assert.ok(error instanceof ActionError, String(error));
      }
    }),
  );
});

test('formats with the options of the template first', () => {
  const format = (format: string) =>
    formatCommand({ device: '/dev/x1', format, point: '', options: ['-L', 'a'] });
  const segment = 'filesystems';
  const ext4 = { program: 'mke2fs', args: ['-L', 'a', '-t', 'ext4', '-F', '/dev/x1'], segment };
  assert.deepEqual(format('ext4'), ext4);
  assert.deepEqual(format('vfat'), { program: 'mkfs.fat', args: ['-L', 'a', '/dev/x1'], segment });
  // The first stage has it.
  assert.deepEqual(format('swap'), { program: 'mkswap', args: ['-L', 'a', '/dev/x1'] });
  assert.throws(() => format('ntfs'), /"ntfs" is not supported; use ext2, /);
  assert.throws(() => format('constructor'), /is not supported/);
});

test('reads the command and the variables', () => {
  assert.equal(readCommand(['wipe']), 'wipe');
  assert.throws(() => readCommand([]), /the command is missing; set command to one of partition, format/);
  assert.throws(() => readCommand(['format', 'x']), /"format x" is unknown/);
  assert.deepEqual(readSettings({ MIRROR_HOST: '192.0.2.1', METADATA_SERVICE_PORT: '7080', MBR: 'y' }), {
    source: { url: new URL('http://192.0.2.1:7080/metadata') },
    table: 'mbr',
  });
  assert.deepEqual(readSettings({ MIRROR_HOST: '2001:db8::1' }).source, {
    url: new URL('http://[2001:db8::1]:50061/metadata'),
  });
  assert.deepEqual(readSettings({ TEST: '1', JSON_FILE: '/a' }), { source: { file: '/a' }, table: 'gpt' });
  for (const environment of [
    {},
    { MIRROR_HOST: 'http://x' },
    { MIRROR_HOST: 'x', METADATA_SERVICE_PORT: '0' },
    { TEST: '1' },
  ])
    assert.throws(() => readSettings(environment), ActionError);
});
