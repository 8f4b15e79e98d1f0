/**
 * The folders of examples/ that need no foreign image, as they are. Where a template names a vendor's file, the small system
 * takes its place under the same name.
 */
import assert from 'node:assert/strict';
import { link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import { tink } from '../../bare-machine.ts';
import type { ActionCase } from '../action-case.ts';
import { bytesAt, ext4File, fatFile, partitionFile, partitionsOf, sha256Of } from '../disk-checks.ts';
import { exampleCase } from '../example-case.ts';
import { exampleObjects } from '../example-objects.ts';
import { alpineArchive, labDisk, labGzip } from '../fixtures/images.ts';
import { writeDiskArtifact } from '../fixtures/disk-artifact.ts';
import { LAB_DISK_BYTES } from '../fixtures/lab-disk.ts';
import { startedWith } from '../fixtures/small-system.ts';
import type { Site } from '../site/open-site.ts';

const MEBIBYTE = 1024 * 1024;
const FILLED_BYTES = 128 * MEBIBYTE;
const ERASED_BYTES = 64 * MEBIBYTE;

const helloWorld = exampleCase(
  'hello-world',
  { firmware: 'bios' },
  {
    check({ output }) {
      for (const line of [/hello machine-2/, /hello from a virtual machine/, /good night/])
        assert.match(output, line);
    },
  },
);

/** SYSLINUX starts the small system from the FAT partition. */
export const alpine = exampleCase(
  'alpine',
  { firmware: 'bios', hardwareMap: { kernel_arguments: 'console=ttyS0 no_timer_check lab.syslinux' } },
  {
    diskBus: 'sata',
    diskBytes: 256 * MEBIBYTE,
    async prepare(site) {
      await alpineArchive(site);
    },
    isReset: true,
    prints: [startedWith('lab.syslinux')],
    async check({ machine: { diskPath }, workDirectory }) {
      assert.match(await runCommand('sfdisk', ['--list', diskPath]), /Disklabel type: dos/);
      const partition = await partitionFile(diskPath, 1, workDirectory);
      await runCommand('fsck.fat', ['-n', partition]);
      assert.match(await fatFile(partition, '/syslinux.cfg'), /KERNEL \/boot\/vmlinuz-lts/);
      assert.match(await runCommand('mdir', ['-a', '-i', partition, '::']), /ldlinux +sys/i);
    },
  },
);

/** Three kinds of disks, the last one by its WWN. The first one is kept as an image. */
const erase = exampleCase(
  'erase',
  { firmware: 'uefi' },
  {
    diskBus: 'nvme',
    diskBytes: FILLED_BYTES,
    moreDisks: [
      { bus: 'sata', bytes: FILLED_BYTES },
      { bus: 'sata', bytes: FILLED_BYTES, worldWideName: '0x5000c500a1b2c3d4' },
    ],
    async fillDisks({ diskPaths }) {
      for (const path of diskPaths) await writeFile(path, Buffer.alloc(FILLED_BYTES, 'old '));
    },
    async check({ site, machine: { diskPaths } }) {
      for (const path of diskPaths) {
        assert.ok(
          (await bytesAt(path, 0, ERASED_BYTES)).every((byte) => byte === 0),
          `${path} begins with zeros`,
        );
        assert.equal((await bytesAt(path, ERASED_BYTES, 4)).toString(), 'old ');
      }
      const image = site.uploads.received.find(({ fileName }) => fileName === 'machine-12.img');
      assert.equal(image?.bytes, FILLED_BYTES);
      assert.ok(image.start.startsWith('old old '));
    },
  },
);

/** After the restart the firmware starts the loader of the image. */
const windows = exampleCase(
  'windows',
  { firmware: 'uefi' },
  {
    diskBus: 'nvme',
    diskBytes: 2 * LAB_DISK_BYTES,
    async prepare(site) {
      await link(await labGzip(site), join(site.imagesDirectory, 'windows-2022.raw.gz'));
    },
    prints: [/lab: loader in .*\/EFI\/BOOT/],
    async check({ site, machine: { diskPath } }) {
      assert.equal(await sha256Of(diskPath, LAB_DISK_BYTES), await sha256Of(await labDisk(site)));
    },
  },
);

const registryUser = { registry_user: 'lab', registry: '192.168.56.4:7080/nodes' } as const;

/** The node image comes from the registry of the server, and kexec starts its kernel. */
const kubernetesNode: ActionCase = {
  ...exampleCase(
    'kubernetes-node',
    { firmware: 'uefi' },
    {
      diskBus: 'sata',
      diskBytes: 2 * LAB_DISK_BYTES,
      prints: [startedWith('lab.entry')],
      async check({ machine: { diskPath }, workDirectory }) {
        const root = await partitionFile(diskPath, 1, workDirectory);
        assert.match(await ext4File(root, '/etc/cloud/cloud.cfg.d/10_tinkerbell.cfg'), /name: tink/);
        assert.match(await ext4File(root, '/etc/netplan/config.yaml'), /192\.168\.56\.47\/24/);
      },
    },
  ),
  async objects(site) {
    const layout = join(site.directory, 'node');
    writeDiskArtifact(layout, { image: await labGzip(site), title: 'node.raw.gz' });
    await tink(site.server, 'image', 'push', layout, 'nodes/ubuntu-2404:v1.33.2.gz');
    const token = (await tink(site.server, 'token', 'create', 'lab', '--role', 'edit')).trim();
    const hardwareMap = { ...registryUser, registry_password: token };
    return exampleObjects('kubernetes-node', { firmware: 'uefi', hardwareMap });
  },
};

/** The card of a 64-bit ARM machine. It boots as UEFI machines do: QEMU has no Raspberry Pi with a network. */
const raspberryPi = exampleCase(
  'raspberry-pi',
  { firmware: 'arm64-uefi' },
  {
    moreDisks: [{ bus: 'sd', bytes: 2 * LAB_DISK_BYTES }],
    async prepare(site) {
      await mkdir(join(site.imagesDirectory, 'aarch64'));
      await makeCard(site);
    },
    async check({ machine: { diskPaths }, workDirectory }) {
      const card = diskPaths[1] ?? '';
      assert.equal((await partitionsOf(card)).length, 1);
      const partition = await partitionFile(card, 1, workDirectory);
      const environment = join(workDirectory, 'uboot.env');
      await runCommand('mcopy', ['-i', partition, '::/boot/uboot.env', environment]);
      const configuration = join(workDirectory, 'fw_env.config');
      await writeFile(configuration, `${environment} 0x0 0x4000\n`);
      const variables = await runCommand('fw_printenv', ['-c', configuration]);
      assert.match(variables, /^serial#=a1b2c3d4$/m);
      assert.match(variables, /^bootcmd=run distro_bootcmd$/m);
    },
  },
);

/** A table with one FAT partition, as images of a Raspberry Pi have it first. */
async function makeCard({ directory, imagesDirectory }: Site): Promise<void> {
  const image = join(directory, 'card.img');
  const script = `
    truncate -s 64M "$1"
    echo 'label: dos
2048,,c' | sfdisk --quiet "$1"
    mkfs.fat --offset 2048 "$1" 64512 >/dev/null
    bzip2 -1 --stdout "$1" >"$2"
  `;
  await runCommand('sh', ['-ec', script, 'sh', image, join(imagesDirectory, 'aarch64/debian-13.raw.bz2')]);
}

export const examples: readonly ActionCase[] = [
  helloWorld,
  alpine,
  erase,
  windows,
  kubernetesNode,
  raspberryPi,
];
