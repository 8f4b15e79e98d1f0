/** A 64-bit ARM machine with UEFI. Emulation is slow, so it runs those actions whose work depends on the processor or the firmware. */
import assert from 'node:assert/strict';
import type { ActionCase, ActionStep } from '../action-case.ts';
import { macOf, objectsFor, SERVER, type LabMachine } from '../case-objects.ts';
import { assertExt4, ext4File, fatFile, partitionFile, partitionsOf } from '../disk-checks.ts';
import { armContainer, ARM_CONTAINER } from '../fixtures/foreign-images.ts';
import { armSystem } from '../fixtures/images.ts';
import { startedWith } from '../fixtures/small-system.ts';
import { imagesOf, imageUrl, rootio, step, writeFile } from '../steps.ts';

const MEBIBYTE = 1024 * 1024;
const GPT_EFI = 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B';

const machine: LabMachine = {
  name: 'arm64',
  number: 76,
  firmware: 'arm64-uefi',
  storage: {
    disks: [
      {
        device: '/dev/vda',
        wipe_table: true,
        partitions: [
          { label: 'EFI', number: 1, size: 65_536 },
          { label: 'ROOT', number: 2, size: 0 },
        ],
      },
    ],
    filesystems: [
      { mount: { device: '/dev/vda1', format: 'vfat', point: '/boot/efi' } },
      { mount: { device: '/dev/vda2', format: 'ext4', point: '/' } },
    ],
  },
};

function stepsWith(systemSha256: string): readonly ActionStep[] {
  const onRoot = { DEST_DISK: '/dev/vda2', FS_TYPE: 'ext4' } as const;
  return [
    step('inventory', {}),
    rootio('partition'),
    rootio('format'),
    step('archive2disk', {
      ...onRoot,
      ARCHIVE_URL: imageUrl('arm-system.tar.gz'),
      ARCHIVE_TYPE: 'targz',
      DEST_PATH: '/',
      TARFILE_CHECKSUM: `sha256:${systemSha256}`,
    }),
    writeFile('/dev/vda2', '/etc/hostname', 'arm64'),
    step('cexec', {
      BLOCK_DEVICE: '/dev/vda2',
      FS_TYPE: 'ext4',
      CHROOT: 'y',
      CMD_LINE: '/bin/busybox cp /etc/hostname /etc/copy',
    }),
    step('ubootenv', {
      DEST_DISK: '/dev/vda1',
      FS_TYPE: 'vfat',
      ENV_FILE: '/uboot.env',
      ENV_VARS: '{"a":"b"}',
    }),
    step('efibootset', { BOOT_LABEL: 'lab', BOOT_DISK: '/dev/vda', BOOT_PLACE: 'last' }),
    {
      name: 'container',
      image: `${SERVER}/${ARM_CONTAINER}`,
      timeout: 600,
      command: ['/bin/busybox', 'uname', '-m'],
    },
    step('kexec', {
      BLOCK_DEVICE: '/dev/vda2',
      FS_TYPE: 'ext4',
      KERNEL_PATH: '/boot/vmlinuz',
      INITRD_PATH: '/boot/initrd.img',
      CMD_LINE: 'console=ttyAMA0 quiet lab.arm',
    }),
  ];
}

export const arm64: ActionCase = {
  ...machine,
  mac: macOf(machine.number),
  images: imagesOf(stepsWith('')),
  diskBytes: 256 * MEBIBYTE,
  async objects(site) {
    await armContainer(site);
    return objectsFor(machine, stepsWith((await armSystem(site)).sha256));
  },
  prints: [startedWith('lab.arm')],
  async check({ machine: { diskPath }, workDirectory, output }) {
    assert.match(output, /^.*aarch64$/m);
    assert.equal((await partitionsOf(diskPath))[0]?.type, GPT_EFI);
    const root = await partitionFile(diskPath, 2, workDirectory);
    await assertExt4(root);
    assert.equal(await ext4File(root, '/etc/copy'), 'arm64');
    const efi = await partitionFile(diskPath, 1, workDirectory);
    assert.match(await fatFile(efi, '/uboot.env'), /a=b/);
  },
};
