/**
 * A disk image with a real Debian: systemd, network by DHCP, login on screen and serial port. It starts with BIOS and with
 * UEFI firmware. Built once per list of package versions and kept in the cache.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createZstdCompress, constants } from 'node:zlib';

import { openDebianArchive, runCommand, type DebianArchive } from '@tinkerbell/hook';

import { cloudInitSystem } from './cloud-init-system.ts';
import { writeDiskImage } from './disk-layout.ts';
import { EMULATED_KERNEL_ARGUMENTS } from './firmware.ts';
import type { SystemAddition } from './system-addition.ts';

const SUITE = 'bookworm';

/** The kernel for virtual machines. It has only their drivers, and unpacks quickly. */
const PACKAGES: readonly string[] = [
  'systemd-sysv udev dbus login passwd iproute2 iputils-ping less',
  'linux-image-cloud-amd64 initramfs-tools zstd ca-certificates',
].flatMap((line) => line.split(' '));

/** The parts that its initramfs needs to find its root. It is small, so that it boots quickly. */
const INITRAMFS_MODULES = 'virtio_pci\nvirtio_blk\nvirtio_scsi\nsd_mod\nnvme\nahci\next4\ncrc32c_generic\n';

const EXCLUDED = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/i18n/*'];

const ZSTD_LEVEL = 5;

/** The image's root password. It is for a machine in an isolated namespace that lives for minutes. */
const ROOT_PASSWORD = 'tinkerbell';

const FILES: Readonly<Record<string, string>> = {
  'etc/hostname': 'debian\n',
  'etc/fstab': 'LABEL=root / ext4 defaults 0 1\n',
  // Present and empty, so that each machine creates its own.
  'etc/machine-id': '',
  'etc/systemd/network/20-wired.network': '[Match]\nType=ether\n\n[Network]\nDHCP=yes\n',
  'etc/initramfs-tools/modules': INITRAMFS_MODULES,
  'boot/grub/grub.cfg': `set timeout=0
menuentry 'Debian GNU/Linux' {
  linux /vmlinuz root=LABEL=root ro console=tty0 console=ttyS0,115200 quiet ${EMULATED_KERNEL_ARGUMENTS}
  initrd /initrd.img
}
`,
};

const VARIANTS = {
  plain: { packages: [], files: {}, commands: [] },
  'cloud-init': cloudInitSystem,
} as const satisfies Record<string, SystemAddition>;

export interface DebianImage {
  /** Compressed with zstd: `debian-12-<key>.img.zst`. */
  readonly path: string;
  readonly sha256: string;
  readonly compressedBytes: number;
  readonly fromCache: boolean;
}

/**
 * Builds the image, or finds it in the cache.
 *
 * @throws Error when not root, because only root can create the file owners of the system.
 */
export async function buildDebianImage(options: {
  readonly cacheDirectory: string;
  /**
   * `cloud-init` configures itself from our metadata. `plain`, the default, has a fixed configuration. Callers may also add what
   * they need.
   */
  readonly variant?: keyof typeof VARIANTS | SystemAddition;
  readonly onProgress?: (line: string) => void;
}): Promise<DebianImage> {
  const tell = options.onProgress ?? ((): void => undefined);
  const { variant = 'plain' } = options;
  const addition: SystemAddition = typeof variant === 'string' ? VARIANTS[variant] : variant;
  const archive = await openDebianArchive({ suite: SUITE, cacheDirectory: options.cacheDirectory });
  const directory = join(options.cacheDirectory, 'images');
  const path = join(directory, `debian-12-${await cacheKey(archive, addition)}.img.zst`);
  const fromCache = await access(path).then(
    () => true,
    () => false,
  );
  if (!fromCache) {
    if (process.getuid?.() !== 0) throw new Error('building the Debian image needs root: run with sudo');
    await mkdir(directory, { recursive: true });
    const work = await mkdtemp(join(tmpdir(), 'debian-image-'));
    try {
      tell('installing Debian packages');
      const root = join(work, 'root');
      await installSystem(root, archive, addition);
      tell('making partitions, file systems and boot loaders');
      const image = join(work, 'disk.img');
      await writeDiskImage({ root, image, workDirectory: work });
      tell('compressing');
      await compress(image, `${path}.${process.pid}`);
      await rename(`${path}.${process.pid}`, path);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  const [info, sha256] = await Promise.all([stat(path), hashFile(path)]);
  return { path, sha256, compressedBytes: info.size, fromCache };
}

/** Changes with the packages' versions and with the code in this folder. */
async function cacheKey(archive: DebianArchive, addition: SystemAddition): Promise<string> {
  const hash = createHash('sha256');
  // The kernel and systemd represent the release, because they change with every point release.
  const kernel = await archive.dependencies('linux-image-cloud-amd64');
  hash.update((await archive.fileNames([...PACKAGES, ...addition.packages, ...kernel])).join('\n'));
  const { packageFiles = [], ...rest } = addition;
  hash.update(JSON.stringify([FILES, rest]));
  for (const path of packageFiles) hash.update(await readFile(path));
  for (const source of ['./debian-image.ts', './disk-layout.ts', './grub-image.ts']) {
    hash.update(await readFile(fileURLToPath(new URL(source, import.meta.url))));
  }
  return hash.digest('hex').slice(0, 16);
}

async function installSystem(root: string, archive: DebianArchive, addition: SystemAddition): Promise<void> {
  const files = { ...FILES, ...addition.files };
  const sources = `${root}.sources.list`;
  await writeFile(sources, archive.sources);
  // One shell word per hook. mmdebstrap passes the new root as $1.
  const writeFiles = Object.keys(files).map((path) => `install -D -m 644 ${root}.files/${path} "$1/${path}"`);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(`${root}.files`, path, '..'), { recursive: true });
    await writeFile(join(`${root}.files`, path), text);
  }
  const hooks = {
    '--setup-hook': [
      'mkdir -p "$1/etc/initramfs-tools/conf.d"',
      'printf "MODULES=list\\nCOMPRESS=zstd\\nFSTYPE=ext4\\n" >"$1/etc/initramfs-tools/conf.d/small"',
      `install -D -m 644 ${root}.files/etc/initramfs-tools/modules "$1/etc/initramfs-tools/modules"`,
    ],
    '--customize-hook': [
      ...(addition.packageFiles ?? []).flatMap((path) => [
        `cp ${path} "$1/root/added.deb"`,
        'chroot "$1" dpkg --install /root/added.deb',
        'rm "$1/root/added.deb"',
      ]),
      ...writeFiles,
      `echo 'root:${ROOT_PASSWORD}' | chroot "$1" chpasswd`,
      'chroot "$1" systemctl enable systemd-networkd',
      // These are not needed in a virtual machine, and slow under emulation.
      'chroot "$1" systemctl disable systemd-networkd-wait-online apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service',
      ...addition.commands.map((command) => `chroot "$1" ${command}`),
      'rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1"/var/log/*.log "$1"/var/cache/debconf/*-old',
    ],
  };
  await runCommand('mmdebstrap', [
    '--mode=root',
    '--variant=minbase',
    '--format=directory',
    `--include=${[...PACKAGES, ...addition.packages].join(',')}`,
    '--aptopt=Apt::Install-Recommends "false"',
    '--aptopt=Acquire::Languages "none"',
    '--dpkgopt=force-unsafe-io',
    '--dpkgopt=force-confold',
    ...EXCLUDED.map((path) => `--dpkgopt=path-exclude=${path}`),
    ...Object.entries(hooks).flatMap(([name, lines]) => lines.map((line) => `${name}=${line}`)),
    SUITE,
    root,
    sources,
  ]);
}

async function compress(source: string, target: string): Promise<void> {
  const params = {
    [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL,
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  const chunkBytes = 1024 * 1024;
  await pipeline(
    createReadStream(source, { highWaterMark: chunkBytes }),
    createZstdCompress({ params, chunkSize: chunkBytes }),
    createWriteStream(target),
  );
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}
