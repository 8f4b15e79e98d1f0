/** A machine with BIOS and six disks runs nearly every action, and then starts the system that they have made. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import { serverAddress } from '../../bare-machine.ts';
import type { ActionCase, ActionStep, CaseRun } from '../action-case.ts';
import { macOf, objectsFor, SERVER, type LabMachine } from '../case-objects.ts';
import {
  assertExt4,
  bytesAt,
  ext4File,
  fatFile,
  partitionFile,
  partitionsOf,
  sha256Of,
} from '../disk-checks.ts';
import {
  grubSystem,
  labArtifact,
  labDisk,
  labGzip,
  labQcow2,
  noise,
  NOISE_BYTES,
  noiseVmdk,
} from '../fixtures/images.ts';
import { LAB_DISK_BYTES, ROOT } from '../fixtures/lab-disk.ts';
import { startedWith } from '../fixtures/small-system.ts';
import { UPLOAD_PORT } from '../site/uploads.ts';
import { imagesOf, imageUrl, rootio, step, writeFile as writeFileStep } from '../steps.ts';

const MEBIBYTE = 1024 * 1024;
const LARGER = 2 * LAB_DISK_BYTES;
const OLD = 'what the last owner left';
const UPLOADS = `http://${serverAddress}:${UPLOAD_PORT}`;
const [GPT_BIOS, GPT_SWAP, GPT_LINUX] = [
  '21686148-6449-6E6F-744E-656564454649',
  '0657FD6D-A4AB-43C4-84E5-0933C84B4F4F',
  '0FC63DAF-8483-4772-8E79-3D69D8477DE4',
];

const machine: LabMachine = {
  name: 'bios-disks',
  number: 71,
  firmware: 'bios',
  storage: {
    disks: [
      {
        device: '/dev/vda',
        wipe_table: true,
        partitions: [
          { label: 'BIOS', number: 1, size: 4096 },
          { label: 'SWAP', number: 2, size: 131_072 },
          { label: 'ROOT', number: 3, size: 0 },
        ],
      },
    ],
    filesystems: [
      { mount: { device: '/dev/vda2', format: 'swap', point: 'swap' } },
      { mount: { device: '/dev/vda3', format: 'ext4', point: '/', create: { options: ['-L', 'ROOT'] } } },
    ],
  },
};

const onRoot = { DEST_DISK: '/dev/vda3', FS_TYPE: 'ext4' } as const;

function stepsWith(systemSha256: string): readonly ActionStep[] {
  return [
    step('inventory', { DEST_URL: `${UPLOADS}/inventory` }),
    step('burnin', { DURATION: '5s', MEMORY_PERCENT: '5', DISKS: '/dev/vdf', DESTRUCTIVE: 'true' }),
    step('erase', { ERASE_DISK: '/dev/vde', ERASE_METHOD: 'overwrite' }),
    rootio('version'),
    rootio('partition'),
    rootio('format'),
    step('archive2disk', {
      ...onRoot,
      ARCHIVE_URL: imageUrl('grub-system.tar.gz'),
      ARCHIVE_TYPE: 'targz',
      DEST_PATH: '/',
      TARFILE_CHECKSUM: `sha256:${systemSha256}`,
    }),
    writeFileStep('/dev/vda3', '/etc/hostname', 'bios-disks\n'),
    step('cexec', {
      BLOCK_DEVICE: '/dev/vda3',
      FS_TYPE: 'ext4',
      CHROOT: 'y',
      DEFAULT_INTERPRETER: '/bin/sh -c',
      CMD_LINE: 'echo "made by cexec for $(cat /etc/hostname)" >/etc/cexec',
    }),
    step('ubootenv', {
      ...onRoot,
      ENV_FILE: '/boot/uboot.env',
      ENV_VARS: '{"bootdelay":"3","bootcmd":"run lab"}',
    }),
    step('image2disk', { IMG_URL: imageUrl('lab.img.gz'), DEST_DISK: '/dev/vdb', COMPRESSED: 'true' }),
    step('verify', { DEST_DISK: '/dev/vdb', IMG_URL: imageUrl('lab.img.gz') }),
    step('cidataio', {
      DEST_DISK: '/dev/vdb',
      USER_DATA: '#cloud-config\n',
      META_DATA: 'instance-id: lab\n',
    }),
    step('oci2disk', { IMG_URL: `${SERVER}/lab/disk:raw.gz`, DEST_DISK: '/dev/vdc', COMPRESSED: 'true' }),
    step('qemuimg2disk', { IMG_URL: imageUrl('lab.qcow2'), DEST_DISK: '/dev/vdd' }, { name: 'qcow2' }),
    step('qemuimg2disk', { IMG_URL: imageUrl('noise.vmdk'), DEST_DISK: '/dev/vdf' }, { name: 'vmdk' }),
    step('slurp', { SOURCE_DISK: '/dev/vdf', DEST_URL: `${UPLOADS}/image`, IMG_NAME: 'noise' }),
    {
      name: 'alpine',
      image: 'alpine:3.22',
      timeout: 60,
      command: ['sh', '-c', 'echo said by $0', 'a shell'],
    },
    { name: 'busybox', image: 'busybox', timeout: 60, command: ['blockdev', '--flushbufs', '/dev/vdf'] },
    step('grub2disk', { GRUB_INSTALL_PATH: '/dev/vda', GRUB_DISK: '/dev/vda3', FS_TYPE: 'ext4' }),
    step('reboot', {}),
  ];
}

export const biosDisks: ActionCase = {
  ...machine,
  mac: macOf(machine.number),
  images: imagesOf(stepsWith('')),
  diskBytes: 1024 * MEBIBYTE,
  moreDisks: [LARGER, LARGER, LARGER, NOISE_BYTES, NOISE_BYTES].map((bytes) => ({ bus: 'virtio', bytes })),
  async objects(site) {
    await Promise.all([labGzip(site), labArtifact(site), labQcow2(site), noiseVmdk(site)]);
    return objectsFor(machine, stepsWith((await grubSystem(site)).sha256));
  },
  fillDisks: ({ diskPaths: [, , , , erased = ''] }) =>
    writeFile(erased, OLD.repeat(NOISE_BYTES / OLD.length + 1).slice(0, NOISE_BYTES)),
  prints: [startedWith('lab.grub')],
  async check(run) {
    await checkInstalledSystem(run);
    await checkImages(run);
    await checkErasedDisk(run);
    await checkUploads(run);
    assert.match(run.output, /said by a shell/);
  },
};

async function checkInstalledSystem({ machine: { diskPath }, workDirectory }: CaseRun): Promise<void> {
  assert.match(await runCommand('sgdisk', ['--verify', diskPath]), /No problems found/);
  assert.deepEqual(
    (await partitionsOf(diskPath)).map(({ number, name, type }) => [number, name, type]),
    [
      [1, 'BIOS', GPT_BIOS],
      [2, 'SWAP', GPT_SWAP],
      [3, 'ROOT', GPT_LINUX],
    ],
  );
  const swap = await partitionFile(diskPath, 2, workDirectory);
  assert.match(await runCommand('blkid', ['-p', '-o', 'value', '-s', 'TYPE', swap]), /^swap$/m);
  const root = await partitionFile(diskPath, 3, workDirectory);
  assert.match(await runCommand('blkid', ['-p', '-o', 'value', '-s', 'LABEL', root]), /^ROOT$/m);
  await assertExt4(root);
  assert.equal(await ext4File(root, '/etc/hostname'), 'bios-disks\n');
  assert.match(await runCommand('debugfs', ['-R', 'stat /etc/hostname', root]), /Mode: +0640/);
  assert.equal(await ext4File(root, '/etc/cexec'), 'made by cexec for bios-disks\n');
  assert.match(await ext4File(root, '/boot/grub/grub.cfg'), /menuentry 'lab'/);
  const environment = join(workDirectory, 'uboot.env');
  await runCommand('debugfs', ['-R', `dump /boot/uboot.env ${environment}`, root]);
  const configuration = join(workDirectory, 'fw_env.config');
  await writeFile(configuration, `${environment} 0x0 0x4000\n`);
  const variables = await runCommand('fw_printenv', ['-c', configuration]);
  assert.deepEqual(variables.trim().split('\n').toSorted(), ['bootcmd=run lab', 'bootdelay=3']);
}

async function checkImages({ site, machine: { diskPaths }, workDirectory }: CaseRun): Promise<void> {
  const [, byImage2disk = '', byOci2disk = '', byQcow2 = '', , byVmdk = ''] = diskPaths;
  const image = await labDisk(site);
  const sha256 = await sha256Of(image);
  for (const disk of [byOci2disk, byQcow2])
    assert.equal(await sha256Of(disk, LAB_DISK_BYTES), sha256, `${disk} is the image`);
  assert.equal(await sha256Of(byVmdk), await sha256Of(await noise(site)));
  // cidataio has changed its table, and nothing else.
  assert.match(await runCommand('sgdisk', ['--verify', byImage2disk]), /No problems found/);
  const rootOf = (disk: string) => bytesAt(disk, ROOT.startMebibytes * MEBIBYTE, ROOT.mebibytes * MEBIBYTE);
  assert.ok((await rootOf(image)).equals(await rootOf(byImage2disk)), 'the root file system is unchanged');
  const data = (await partitionsOf(byImage2disk)).find(({ name }) => name === 'cidata');
  assert.ok(data !== undefined, 'the disk has a partition with the name cidata');
  const partition = await partitionFile(byImage2disk, data.number, workDirectory);
  assert.equal(await fatFile(partition, '/user-data'), '#cloud-config\n');
  assert.equal(await fatFile(partition, '/meta-data'), 'instance-id: lab\n');
}

async function checkErasedDisk({ machine: { diskPaths } }: CaseRun): Promise<void> {
  const bytes = await bytesAt(diskPaths[4] ?? '', 0, NOISE_BYTES);
  assert.ok(
    bytes.subarray(0, MEBIBYTE).every((byte) => byte === 0),
    'the start is zero',
  );
  assert.ok(!bytes.includes('the last owner'), 'nothing is left');
}

async function checkUploads({ site, machine: { diskPaths } }: CaseRun): Promise<void> {
  const inventory = site.uploads.received.find(({ path }) => path === '/inventory');
  assert.ok(inventory !== undefined, 'the inventory was sent');
  const facts = JSON.parse(inventory.start) as { readonly disks?: readonly unknown[] };
  assert.equal(facts.disks?.length, diskPaths.length, inventory.start);
  const image = site.uploads.received.find(({ path }) => path === '/image');
  assert.equal(image?.fileName, 'noise.img');
  assert.equal(image.sha256, await sha256Of(await noise(site)));
}
