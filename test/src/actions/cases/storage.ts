/** A file system on LVM on LUKS on RAID. The layers are made twice, and the second time nothing changes. */
import assert from 'node:assert/strict';
import type { ActionCase, ActionStep } from '../action-case.ts';
import { macOf, objectsFor, type LabMachine } from '../case-objects.ts';
import { partitionsOf } from '../disk-checks.ts';
import { imagesOf, rootio, step, writeFile } from '../steps.ts';

const MEBIBYTE = 1024 * 1024;
/** rootio's sizes are in sectors. */
const SECTORS = 200 * 2048;
const PASSPHRASE = 'canary-passphrase-4711';
const GPT_LINUX = '0FC63DAF-8483-4772-8E79-3D69D8477DE4';

const machine: LabMachine = {
  name: 'storage',
  number: 78,
  firmware: 'bios',
  storage: {
    disks: [
      {
        device: '/dev/vda',
        partitions: ['A', 'B'].map((label, index) => ({ label, number: index + 1, size: SECTORS })),
      },
    ],
    filesystems: [
      { mount: { device: '/dev/vg0/root', format: 'ext4', point: '/', create: { options: ['-L', 'ROOT'] } } },
    ],
  },
};

const layers = [
  step('mdraid', { ARRAY: '/dev/md/data', LEVEL: '1', DEVICES: '/dev/vda1,/dev/vda2' }),
  step('luks', { DEVICE: '/dev/md/data', KEY: PASSPHRASE, NAME: 'crypt', ITERATION_MS: '10' }),
  step('lvm', {
    VOLUME_GROUP: 'vg0',
    PHYSICAL_VOLUMES: '/dev/mapper/crypt',
    LOGICAL_VOLUMES: 'root:60M,rest:100%FREE',
  }),
];

const steps: readonly ActionStep[] = [
  rootio('partition'),
  ...layers,
  ...layers.map((layer) => ({ ...layer, name: `${layer.name} again` })),
  rootio('format'),
  writeFile('/dev/vg0/root', '/origin', 'on three layers'),
];

export const storage: ActionCase = {
  ...machine,
  mac: macOf(machine.number),
  images: imagesOf(steps),
  diskBytes: 512 * MEBIBYTE,
  objects: () => objectsFor(machine, steps),
  async check({ machine: { diskPath, serial }, output, actions }) {
    const messages = new Map(actions.map(({ name, message = '' }) => [name, message]));
    assert.match(messages.get('mdraid') ?? '', /created \/dev\/md\/data \(RAID 1\)/);
    assert.match(messages.get('lvm') ?? '', /created the volume group vg0/);
    for (const { name } of layers) assert.match(messages.get(`${name} again`) ?? '', /is as wanted/);
    const printed = serial.tail(500).join('\n');
    for (const name of ['mdraid', 'luks', 'lvm', 'filesystems'])
      assert.match(printed, new RegExp(`downloading ${name}`));
    for (const text of [output, printed]) assert.ok(!text.includes(PASSPHRASE), 'the key is in no log');
    assert.deepEqual(
      (await partitionsOf(diskPath)).map(({ type }) => type),
      [GPT_LINUX, GPT_LINUX],
    );
  },
};
