/**
 * The folders of examples/ whose Workflow starts an installer. Debian's is the real one. The others need the Internet: a
 * stand-in with the same arguments, paths and downloads takes their place.
 */
import assert from 'node:assert/strict';
import { link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@tinkerbell/hook';
import type { ActionCase, CaseRun } from '../action-case.ts';
import { ext4File, partitionFile, partitionsOf, sha256Of } from '../disk-checks.ts';
import { exampleCase } from '../example-case.ts';
import type { ExampleMachine } from '../example-objects.ts';
import { INSTALLED_CONFIG } from '../fixtures/stand-in-installer.ts';
import { startedWith } from '../fixtures/small-system.ts';
import { harvesterFiles, writeVendorFiles, type VendorFiles } from '../fixtures/vendor-files.ts';

const DISK_BYTES = 256 * 1024 * 1024;
/**
 * With memory above 4 GiB, the programs of Linux are not where the firmware of the next boot has its stack. After code
 * in the same page, each write of that stack costs QEMU so much that the firmware does not get beyond its timer.
 */
const MEMORY_MEBIBYTES = 4096;
const kernel_arguments = 'console=ttyS0 no_timer_check quiet';

interface InstallerRest {
  readonly files: VendorFiles;
  /** The path of its configuration, as the installer asks for it. */
  readonly config: RegExp;
  readonly machine?: Omit<ExampleMachine, 'firmware'>;
  readonly disk?: 'nvme' | 'sata';
  /** It reports to the server that it is ready. */
  readonly isReporting?: boolean;
  readonly prints?: readonly RegExp[];
  readonly fillDisks?: ActionCase['fillDisks'];
  readonly check?: (run: CaseRun, config: string) => Promise<void> | void;
}

function installerCase(folder: string, rest: InstallerRest): ActionCase {
  const { files, config, machine = {}, disk = 'nvme', isReporting = false } = rest;
  const urls = (files.downloads ?? []).map(
    (name) => new RegExp(`lab: fetched \\S+${RegExp.escape(name)} \\d+`),
  );
  return exampleCase(
    folder,
    { firmware: 'uefi', ...machine, hardwareMap: { kernel_arguments, ...machine.hardwareMap } },
    {
      diskBus: disk,
      diskBytes: DISK_BYTES,
      memoryMebibytes: MEMORY_MEBIBYTES,
      ...(rest.fillDisks === undefined ? {} : { fillDisks: rest.fillDisks }),
      prepare: (site) => writeVendorFiles(site, files),
      prints: [
        ...(rest.prints ?? []),
        config,
        ...urls,
        /lab: installed to \/dev\//,
        ...(isReporting ? [/lab: called .*\/phone-home/] : []),
        /lab: loader in .*\/EFI\/BOOT/,
      ],
      async check(run) {
        const partition = await partitionFile(
          run.machine.diskPath,
          INSTALLED_CONFIG.partition,
          run.workDirectory,
        );
        const installed = await ext4File(partition, INSTALLED_CONFIG.path);
        const ready = run.timeline.some(({ event }) => event === 'machine-ready');
        assert.equal(ready, isReporting, 'the machine reports that it is ready');
        await rest.check?.(run, installed);
      },
    },
  );
}

/** The real installer. It gets no mirror: this site has no way out. */
const debianInstaller: ActionCase = exampleCase(
  'debian-installer',
  {
    firmware: 'bios',
    hardwareMap: { kernel_arguments: 'console=ttyS0 no_timer_check DEBIAN_FRONTEND=text' },
    userData: (preseed) => `${preseed}${OBEYED}`,
  },
  {
    needs: 'debian-installer',
    diskBus: 'sata',
    diskBytes: DISK_BYTES,
    memoryMebibytes: MEMORY_MEBIBYTES,
    async prepare({ debianInstaller: from = '', imagesDirectory }) {
      const folder = join(imagesDirectory, 'debian-installer');
      await mkdir(folder);
      for (const name of ['linux', 'initrd.gz']) await link(join(from, name), join(folder, name));
      return {
        kernel_checksum: `sha256:${await sha256Of(join(folder, 'linux'))}`,
        initrd_checksum: `sha256:${await sha256Of(join(folder, 'initrd.gz'))}`,
      };
    },
    prints: [/lab: preseed of machine-13, mirror deb\.debian\.org, user operator/],
    check({ timeline }) {
      const events = timeline.map(({ event, message }) => `${event}: ${message}`);
      assert.ok(events.includes('metadata-served: metadata served: preseed'), events.join('\n'));
      assert.ok(events.includes('machine-ready: the machine reports that it is ready'), events.join('\n'));
    },
  },
);

/** Runs in the installer as soon as it has read the preseed. The values are those of the installer's own database. */
const OBEYED = `d-i preseed/early_command string \\
  wget -q -O /dev/null --post-data=early http://192.168.56.4:7080/phone-home; \\
  echo "lab: preseed of $(hostname), mirror $(debconf-get mirror/http/hostname), user $(debconf-get passwd/username)" >/dev/console
`;

const OLD_TALOS = 'version: v1alpha1\n# of an earlier installation\n';

/** Its disk has an earlier Talos, which the wipe removes: without it the stand-in, as Talos, keeps its configuration. */
export const talosNetboot = installerCase('talos-netboot', {
  files: { folder: 'talos', kernel: 'kernel-amd64', initrd: 'initramfs-amd64.xz' },
  config: /lab: fetched http:\/\/192\.168\.56\.4:7080\/talos\/config \d+/,
  machine: { hardwareMap: { wipe: 'yes' } },
  prints: [startedWith('talos.platform=metal slab_nomerge pti=on')],
  async fillDisks({ diskPath }) {
    const tree = `${diskPath}.tree`;
    await mkdir(tree);
    await writeFile(join(tree, 'config'), OLD_TALOS);
    const script = `
      printf 'label: gpt\\nstart=2048, size=32768\\nstart=34816, size=2048\\nstart=36864, size=16384, name=STATE\\n' |
        sfdisk --quiet "$1"
      mke2fs -q -t ext4 -d "$2" -E offset=18874368 "$1" 8M
    `;
    await runCommand('sh', ['-ec', script, 'sh', diskPath, tree]);
  },
  async check({ machine: { diskPath } }, config) {
    assert.match(config, /endpoint: https:\/\/192\.168\.56\.60:6443/);
    assert.deepEqual(
      (await partitionsOf(diskPath)).map(({ name }) => name),
      ['EFI', 'META', 'STATE', 'EPHEMERAL'],
    );
  },
});

const harvester = installerCase('harvester', {
  files: harvesterFiles,
  config: /lab: fetched \S+\/harvester\/config \d+/,
  isReporting: true,
  prints: [startedWith('ip=dhcp net.ifnames=1 rd.cos.disable rd.noverifyssl root=live:http://')],
  check(_run, config) {
    assert.match(config, /mode: create[^]*vip: 192\.168\.56\.70/);
  },
});

const harvesterJoin = installerCase('harvester-join', {
  files: harvesterFiles,
  config: /lab: fetched \S+\/harvester\/config \d+/,
  isReporting: true,
  check(_run, config) {
    assert.match(config, /server_url: https:\/\/192\.168\.56\.70:443[^]*mode: join/);
  },
});

const fedora = installerCase('fedora', {
  files: {
    folder: 'fedora',
    kernel: 'images/pxeboot/vmlinuz',
    initrd: 'images/pxeboot/initrd.img',
    downloads: ['images/install.img'],
  },
  disk: 'sata',
  config: /lab: fetched \S+\/kickstart\/config \d+/,
  isReporting: true,
  prints: [startedWith('inst.ks=http://192.168.56.4:7080/kickstart/config inst.repo=http://')],
});

const COREOS = 'fedora-coreos-42.20250705.3.0-live';
const coreos = installerCase('coreos', {
  files: {
    folder: 'coreos',
    kernel: `${COREOS}-kernel.x86_64`,
    initrd: `${COREOS}-initramfs.x86_64.img`,
    downloads: [`${COREOS}-rootfs.x86_64.img`],
  },
  config: /lab: fetched \S+\/ignition\/config \d+/,
  isReporting: true,
  prints: [startedWith('ignition.firstboot ignition.platform.id=metal')],
});

const ubuntuAutoinstall = installerCase('ubuntu-autoinstall', {
  files: {
    folder: 'ubuntu-autoinstall',
    kernel: 'casper/vmlinuz',
    initrd: 'casper/initrd',
    downloads: ['ubuntu-24.04.2-live-server-amd64.iso'],
  },
  config: /lab: fetched \S+\/nocloud\/user-data \d+/,
  isReporting: true,
  prints: [startedWith('ip=dhcp url=http://')],
});

export const installers: readonly ActionCase[] = [
  debianInstaller,
  talosNetboot,
  harvester,
  harvesterJoin,
  fedora,
  coreos,
  ubuntuAutoinstall,
];
