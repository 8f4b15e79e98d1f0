/**
 * The folders of examples/ that write a disk image, as they are. Debian's image is a real one. A small system takes the place of
 * the others.
 */
import assert from 'node:assert/strict';
import { link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import type { ActionCase } from '../action-case.ts';
import { ext4File, fatFile, partitionFile, partitionsOf, sha256Of } from '../disk-checks.ts';
import { exampleCase } from '../example-case.ts';
import { debianImage, labDisk, labGzip, labXz } from '../fixtures/images.ts';
import { LAB_DISK_BYTES } from '../fixtures/lab-disk.ts';
import { EFI_PARTITION, makeLabelledDisk } from '../fixtures/labelled-disk.ts';
import { startedWith } from '../fixtures/small-system.ts';
import { imageUrl } from '../steps.ts';

const DISK_BYTES = 2 * LAB_DISK_BYTES;
const LOADER = /lab: loader in .*\/EFI\/BOOT/;

const debian = exampleCase(
  'debian',
  { firmware: 'bios' },
  {
    needs: 'debian-image',
    prints: [/machine-1 login:/],
    async prepare(site) {
      await debianImage(site);
    },
    check() {},
  },
);

const talos = exampleCase(
  'talos',
  { firmware: 'uefi', hardwareMap: { image_url: imageUrl('lab.img.xz') } },
  {
    diskBus: 'nvme',
    diskBytes: DISK_BYTES,
    prints: [LOADER],
    async prepare(site) {
      await labXz(site);
    },
    async check({ machine: { diskPath }, workDirectory }) {
      const seed = await seedOf(diskPath, workDirectory);
      assert.match(await fatFile(seed, '/user-data'), /endpoint: https:\/\/192\.168\.56\.60:6443/);
      assert.match(await fatFile(seed, '/meta-data'), /local-hostname: machine-7/);
    },
  },
);

const CONFIG_BOOT = `system {
    host-name "machine-23"
}
`;

/** The image has the label by which VyOS finds its configuration. */
export const vyos = exampleCase(
  'vyos',
  { firmware: 'uefi', hardwareMap: { config_boot: CONFIG_BOOT } },
  {
    diskBus: 'sata',
    diskBytes: DISK_BYTES,
    prints: [LOADER],
    async prepare({ directory, imagesDirectory }) {
      const work = join(directory, 'vyos-image');
      await mkdir(work);
      const image = await makeLabelledDisk(work, [
        { label: 'BIOS', mebibytes: 1 },
        EFI_PARTITION,
        { label: 'persistence', mebibytes: 16, content: 'ext4' },
      ]);
      await runCommand('gzip', ['-1', image]);
      await link(`${image}.gz`, join(imagesDirectory, 'vyos-1.4.raw.gz'));
      return { image_checksum: `sha256:${await sha256Of(`${image}.gz`)}` };
    },
    async check({ machine: { diskPath }, workDirectory }) {
      const persistence = await partitionFile(diskPath, 3, workDirectory);
      assert.equal(await ext4File(persistence, '/boot/1.4.3/rw/config/config.boot'), CONFIG_BOOT);
      const userData = await fatFile(await seedOf(diskPath, workDirectory), '/user-data');
      assert.match(userData, /^#cloud-config\nvyos_config_commands:\n/);
    },
  },
);

const edgeUbuntu = exampleCase(
  'edge-ubuntu',
  { firmware: 'uefi' },
  {
    diskBus: 'nvme',
    diskBytes: DISK_BYTES,
    prints: [LOADER],
    async prepare(site) {
      await link(await labGzip(site), join(site.imagesDirectory, 'edge-ubuntu.raw.gz'));
      return { image_checksum: `sha256:${await sha256Of(await labGzip(site))}` };
    },
    async check({ machine: { diskPath }, workDirectory, output }) {
      assert.match(output, /secure boot is off, expected off/);
      const root = await partitionFile(diskPath, 1, workDirectory);
      assert.equal(await ext4File(root, '/etc/edge-node'), 'installed by the edge stack\n');
      assert.match(await ext4File(root, '/etc/cloud/cloud.cfg.d/infra.cfg'), /datasource_list: \[Ec2\]/);
      assert.match(await ext4File(root, '/etc/apt/apt.conf'), /Proxy "http:\/\/proxy\.example\.org:3128"/);
    },
  },
);

const ubuntu = exampleCase(
  'ubuntu',
  { firmware: 'uefi' },
  {
    diskBus: 'nvme',
    diskBytes: DISK_BYTES,
    prints: [startedWith('lab.entry')],
    async prepare(site) {
      await link(await labGzip(site), join(site.imagesDirectory, 'noble-server-cloudimg-amd64.raw.gz'));
    },
    async check({ machine: { diskPath }, workDirectory }) {
      const root = await partitionFile(diskPath, 1, workDirectory);
      const commands = await ext4File(root, '/etc/commands');
      assert.match(commands, /growpart \/dev\/nvme0n1 1\nresize2fs \/dev\/nvme0n1p1\nuseradd .* operator\n/);
      assert.match(await ext4File(root, '/etc/netplan/config.yaml'), /dhcp4: true/);
    },
  },
);

const rescue = exampleCase(
  'rescue',
  { firmware: 'uefi', hardwareMap: { repair: 'echo repaired >/etc/repaired' } },
  {
    diskBus: 'sata',
    diskBytes: DISK_BYTES,
    prints: [LOADER],
    async fillDisks({ diskPath }, site) {
      await runCommand('dd', [
        `if=${await labDisk(site)}`,
        `of=${diskPath}`,
        'bs=1M',
        'conv=notrunc',
        'status=none',
      ]);
    },
    async check({ machine: { diskPath }, workDirectory }) {
      const root = await partitionFile(diskPath, 1, workDirectory);
      assert.equal(await ext4File(root, '/etc/repaired'), 'repaired\n');
      assert.match(await ext4File(root, '/root/.ssh/authorized_keys'), /^ssh-ed25519 /);
    },
  },
);

/** The partition that cidataio adds. */
async function seedOf(disk: string, workDirectory: string): Promise<string> {
  const found = (await partitionsOf(disk)).find(({ name }) => name === 'cidata');
  return partitionFile(disk, found?.number ?? assert.fail('no partition cidata'), workDirectory);
}

export const diskImages: readonly ActionCase[] = [debian, talos, vyos, edgeUbuntu, ubuntu, rescue];
