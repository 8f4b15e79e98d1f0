/**
 * Images that umoci builds and skopeo pushes, with upstream's contract: variables in, an exit code out. They run unchanged, pulled
 * from the registry of the server with the session of the machine.
 */
import assert from 'node:assert/strict';
import type { ActionCase, ActionStep } from '../action-case.ts';
import { macOf, objectsFor, SERVER, type LabMachine } from '../case-objects.ts';
import { assertExt4, ext4File, partitionFile } from '../disk-checks.ts';
import { labGzip } from '../fixtures/images.ts';
import { LAB_DISK_BYTES } from '../fixtures/lab-disk.ts';
import { alpineImage, PRIVATE_ORIGIN, WRITEFILE_IMAGE, writefileImage } from '../fixtures/foreign-images.ts';
import { imagesOf, imageUrl, step, writeFile } from '../steps.ts';

const machine: LabMachine = { name: 'containers', number: 75, firmware: 'bios' };
const written = writeFile('/dev/vda1', '/srv/contract', 'written by a container');
/** The official name would run built in. */
const asContainer = { TINKERBELL_BUILT_IN_ACTIONS: 'never' } as const;
const { CONTENTS: _, ...withoutContents } = written.environment ?? {};

const steps: readonly ActionStep[] = [
  step('image2disk', { IMG_URL: imageUrl('lab.img.gz'), DEST_DISK: '/dev/vda', COMPRESSED: 'true' }),
  {
    ...written,
    name: 'exits with 0',
    image: `${SERVER}/${WRITEFILE_IMAGE}`,
    environment: { ...written.environment, ...asContainer },
    volumes: ['/dev:/dev'],
  },
  {
    name: 'private alpine',
    image: `${SERVER}/alpine`,
    timeout: 300,
    command: ['sh', '-c', 'echo "this is $(cat /etc/origin)"'],
  },
  {
    ...written,
    name: 'exits with 7',
    image: `${SERVER}/${WRITEFILE_IMAGE}`,
    environment: { ...withoutContents, ...asContainer },
    volumes: ['/dev:/dev'],
  },
];

export const containers: ActionCase = {
  ...machine,
  mac: macOf(machine.number),
  images: imagesOf(steps),
  diskBytes: 2 * LAB_DISK_BYTES,
  async objects(site) {
    await Promise.all([labGzip(site), writefileImage(site), alpineImage(site)]);
    return objectsFor(machine, steps);
  },
  state: 'FAILED',
  async check({ machine: { diskPath }, workDirectory, actions, output }) {
    const anonymous = await fetch(`http://${SERVER}/v2/alpine/manifests/latest`);
    assert.equal(anonymous.status, 401, 'the image is private');
    assert.deepEqual(
      actions.map(({ name, state }) => [name, state]),
      [
        ['image2disk', 'SUCCESS'],
        ['exits with 0', 'SUCCESS'],
        ['private alpine', 'SUCCESS'],
        ['exits with 7', 'FAILED'],
      ],
    );
    const failure = actions.at(-1)?.message ?? '';
    assert.match(failure, /the container ended with 7/);
    assert.match(failure, /CONTENTS is missing/);
    assert.match(output, /contract: DEST_DISK=\/dev\/vda1 FS_TYPE=ext4 DEST_PATH=\/srv\/contract/);
    assert.match(output, new RegExp(`this is ${PRIVATE_ORIGIN}`));
    const root = await partitionFile(diskPath, 1, workDirectory);
    await assertExt4(root);
    assert.equal(await ext4File(root, '/srv/contract'), 'written by a container');
  },
};
