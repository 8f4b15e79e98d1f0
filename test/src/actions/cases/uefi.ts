/**
 * A machine with UEFI: waitdaemon starts kexec after the report, the kernel on the disk restarts the machine, and the firmware
 * starts the boot entry that efibootset has made.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ActionCase, ActionStep } from '../action-case.ts';
import { macOf, objectsFor, type LabMachine } from '../case-objects.ts';
import { sha256Of } from '../disk-checks.ts';
import { labDisk, labXz } from '../fixtures/images.ts';
import { LAB_DISK_BYTES } from '../fixtures/lab-disk.ts';
import { startedWith } from '../fixtures/small-system.ts';
import { imagesOf, imageUrl, step } from '../steps.ts';

const LABEL = 'entry of the lab';
const machine: LabMachine = { name: 'uefi', number: 72, firmware: 'uefi' };

const steps: readonly ActionStep[] = [
  step('image2disk', { IMG_URL: imageUrl('lab.img.xz'), DEST_DISK: '/dev/vda', COMPRESSED: 'true' }),
  step('verify', { IMG_URL: imageUrl('lab.img.xz'), DEST_DISK: '/dev/vda' }),
  step('efibootset', {
    BOOT_LABEL: LABEL,
    BOOT_DISK: '/dev/vda',
    BOOT_PARTITION: '15',
    BOOT_LOADER: '/EFI/LAB/LAB.EFI',
    BOOT_PLACE: 'next',
  }),
  {
    name: 'waitdaemon',
    image: 'ghcr.io/jacobweinstock/waitdaemon:0.2.1',
    timeout: 90,
    pid: 'host',
    environment: {
      IMAGE: 'quay.io/tinkerbell/actions/kexec',
      WAIT_SECONDS: '1',
      BLOCK_DEVICE: '/dev/vda1',
      FS_TYPE: 'ext4',
    },
    volumes: ['/var/run/docker.sock:/var/run/docker.sock'],
  },
];

export const uefi: ActionCase = {
  ...machine,
  mac: macOf(machine.number),
  images: imagesOf(steps),
  diskBytes: 2 * LAB_DISK_BYTES,
  async objects(site) {
    await labXz(site);
    return objectsFor(machine, steps);
  },
  prints: [startedWith('lab.entry'), /lab: loader in .*\/EFI\/LAB/],
  async check({ site, machine: { diskPath, name } }) {
    assert.equal(await sha256Of(diskPath, LAB_DISK_BYTES), await sha256Of(await labDisk(site)));
    const variables = await readFile(join(dirname(diskPath), `${name}.vars`));
    assert.ok(variables.includes(Buffer.from(LABEL, 'utf16le')), 'the firmware keeps the boot entry');
  },
};
