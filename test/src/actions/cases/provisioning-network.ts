/** Machines behind a router that relays DHCP: they boot, install and boot their disk across it. */
import assert from 'node:assert/strict';
import type { ActionCase, ActionStep } from '../action-case.ts';
import { macOf, objectsFor, type LabMachine } from '../case-objects.ts';
import { sha256Of } from '../disk-checks.ts';
import { labDisk, labXz } from '../fixtures/images.ts';
import { LAB_DISK_BYTES } from '../fixtures/lab-disk.ts';
import { PROVISIONING_GATEWAY, provisioningPort, type RelayProgram } from '../site/provisioning-network.ts';
import { imagesOf, imageUrl, step } from '../steps.ts';

const steps: readonly ActionStep[] = [
  step('image2disk', { IMG_URL: imageUrl('lab.img.xz'), DEST_DISK: '/dev/vda', COMPRESSED: 'true' }),
  step('waitdaemon', { IMAGE: 'alpine', WAIT_SECONDS: '1' }, { command: ['reboot'] }),
];

function behindRelay(program: RelayProgram, machine: LabMachine): ActionCase {
  return {
    ...machine,
    mac: macOf(machine.number),
    images: imagesOf(steps),
    diskBytes: 2 * LAB_DISK_BYTES,
    port: (site, cleanup) => provisioningPort(site, program, cleanup),
    async objects(site) {
      await labXz(site);
      const ip = {
        address: `10.10.20.${machine.number}`,
        netmask: '255.255.255.0',
        gateway: PROVISIONING_GATEWAY,
      };
      return objectsFor({ ...machine, ip }, steps);
    },
    prints: [/lab: loader in .*\/EFI\/BOOT/],
    async check({ site, machine: { diskPath }, timeline }) {
      assert.equal(await sha256Of(diskPath, LAB_DISK_BYTES), await sha256Of(await labDisk(site)));
      const text = JSON.stringify(timeline);
      assert.ok(text.includes(PROVISIONING_GATEWAY), `the relay is in the timeline: ${text}`);
    },
  };
}

export const behindOwnRelay = behindRelay('ours', { name: 'relayed-by-us', number: 81, firmware: 'uefi' });
export const behindIscRelay = behindRelay('isc-dhcp-relay', {
  name: 'relayed-by-isc-dhcp-relay',
  number: 82,
  firmware: 'uefi',
});
