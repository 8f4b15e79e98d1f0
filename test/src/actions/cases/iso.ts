/** A machine that boots our own image from virtual media: a static address, and no DHCP. */
import assert from 'node:assert/strict';
import type { ActionCase, ActionStep } from '../action-case.ts';
import { macOf, objectsFor, type LabMachine } from '../case-objects.ts';
import { assertExt4, ext4File, partitionFile } from '../disk-checks.ts';
import { labGzip } from '../fixtures/images.ts';
import { LAB_DISK_BYTES } from '../fixtures/lab-disk.ts';
import { startedWith } from '../fixtures/small-system.ts';
import { imagesOf, imageUrl, step, writeFile } from '../steps.ts';

const onRoot = { BLOCK_DEVICE: '/dev/vda1', FS_TYPE: 'ext4' } as const;

const steps: readonly ActionStep[] = [
  step('image2disk', { IMG_URL: imageUrl('lab.img.gz'), DEST_DISK: '/dev/vda', COMPRESSED: 'true' }),
  step('verify', { IMG_URL: imageUrl('lab.img.gz'), DEST_DISK: '/dev/vda' }),
  writeFile('/dev/vda1', '/srv/deep/file', 'made by writefile'),
  // Without CHROOT the commands are those of the in-memory OS.
  step('cexec', { ...onRoot, CMD_LINE: 'cp etc/origin etc/copy; sync' }),
  step('kexec', {
    ...onRoot,
    KERNEL_PATH: '/boot/vmlinuz',
    INITRD_PATH: '/boot/initrd.img',
    CMD_LINE: 'console=ttyS0 quiet no_timer_check lab.iso',
  }),
];

function isoCase(machine: LabMachine): ActionCase {
  return {
    ...machine,
    mac: macOf(machine.number),
    isIso: true,
    images: imagesOf(steps),
    diskBytes: 2 * LAB_DISK_BYTES,
    async objects(site) {
      await labGzip(site);
      return objectsFor(machine, steps);
    },
    prints: [startedWith('lab.iso')],
    async check({ machine: { diskPath }, workDirectory }) {
      const root = await partitionFile(diskPath, 1, workDirectory);
      await assertExt4(root);
      assert.equal(await ext4File(root, '/srv/deep/file'), 'made by writefile');
      assert.equal(await ext4File(root, '/etc/copy'), 'the lab image\n');
    },
  };
}

export const isoBios = isoCase({ name: 'iso-bios', number: 73, firmware: 'bios' });
export const isoUefi = isoCase({ name: 'iso-uefi', number: 74, firmware: 'uefi' });
