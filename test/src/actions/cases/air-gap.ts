/**
 * A whole installation with what the server has: the in-memory OS, a disk image, and a container from the registry. It ends at
 * the login prompt of Debian.
 */
import assert from 'node:assert/strict';
import type { ActionCase, ActionStep } from '../action-case.ts';
import { macOf, objectsFor, SERVER, type LabMachine } from '../case-objects.ts';
import { debianImage } from '../fixtures/images.ts';
import { WRITEFILE_IMAGE, writefileImage } from '../fixtures/foreign-images.ts';
import { imagesOf, imageUrl, step, writeFile } from '../steps.ts';

const machine: LabMachine = { name: 'air-gap', number: 77, firmware: 'bios' };
const hostname = writeFile('/dev/vda1', '/etc/hostname', 'behind-the-gap');

const steps: readonly ActionStep[] = [
  step('image2disk', { IMG_URL: imageUrl('debian-12.img.zst'), DEST_DISK: '/dev/vda', COMPRESSED: 'true' }),
  {
    ...hostname,
    name: 'write hostname',
    image: `${SERVER}/${WRITEFILE_IMAGE}`,
    environment: { ...hostname.environment, TINKERBELL_BUILT_IN_ACTIONS: 'never' },
    volumes: ['/dev:/dev'],
  },
  step('waitdaemon', { IMAGE: 'alpine', WAIT_SECONDS: '1' }, { command: ['reboot'] }),
];

export const airGap: ActionCase = {
  ...machine,
  needs: 'debian-image',
  mac: macOf(machine.number),
  images: imagesOf(steps),
  async objects(site) {
    await debianImage(site);
    await writefileImage(site);
    return objectsFor(machine, steps);
  },
  prints: [/behind-the-gap login:/],
  async check({ site, output }) {
    assert.match(output, /contract: DEST_DISK=\/dev\/vda1/);
    assert.deepEqual(await site.capture.outside(), []);
  },
};
