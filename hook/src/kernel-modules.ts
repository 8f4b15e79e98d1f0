/**
 * Selects the drivers of the in-memory OS: the network and storage controllers of common servers and of QEMU,
 * and the file systems that actions mount. The dependencies of a driver are included.
 */
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Architecture } from './architecture.ts';
import type { CpioEntry } from './cpio.ts';
import { runCommand } from './run-command.ts';

/** The modules by family: paravirtual, Intel, Broadcom and Mellanox, Realtek and USB, VLAN. */
const NETWORK_DRIVERS = [
  'virtio_net vmxnet3 hv_netvsc',
  'e1000 e1000e igb igbvf igc ixgbe ixgbevf i40e iavf ice',
  'bnx2 bnx2x bnxt_en tg3 mlx4_en mlx5_core',
  'r8169 8139cp 8139too r8152 cdc_ncm cdc_ether',
  '8021q',
];

const STORAGE_DRIVERS = [
  'virtio_blk virtio_scsi vmw_pvscsi hv_storvsc',
  'ahci ata_piix nvme megaraid_sas mpt3sas hpsa smartpqi',
  'sd_mod sr_mod usb-storage uas sdhci_pci mmc_block',
];

const BUS_AND_INPUT_DRIVERS = [
  'virtio_pci virtio_mmio virtio_rng hv_vmbus',
  'xhci_pci ehci_pci ohci_pci uhci_hcd usbhid hid_generic atkbd i8042',
];

const FILE_SYSTEMS = [
  'ext4 vfat xfs isofs squashfs overlay loop dm-mod efivarfs',
  'nls_cp437 nls_ascii nls_iso8859-1 nls_utf8',
  // ext4 and xfs request the checksum by its algorithm name, which modules.dep does not contain.
  'crc32c_generic crc32c-intel libcrc32c',
];

/** What mdraid, luks and lvm need. The kernel requests these by the names of levels, targets and algorithms. */
const STORAGE_LAYERS = [
  'md-mod raid0 raid1 raid10 raid456 dm-crypt',
  'xts ecb aesni-intel algif_skcipher algif_hash',
];

/** Drivers for hardware that only PCs have, or that Debian builds for PCs only. */
const X86_ONLY = [
  'vmxnet3 vmw_pvscsi hv_netvsc hv_storvsc hv_vmbus ata_piix uhci_hcd atkbd i8042 crc32c-intel aesni-intel',
].flatMap((line) => line.split(' '));

export function kernelModulesFor({ name }: Architecture): readonly string[] {
  return name === 'x86_64' ? ALL_MODULES : ALL_MODULES.filter((module) => !X86_ONLY.includes(module));
}

const ALL_MODULES: readonly string[] = [
  ...NETWORK_DRIVERS,
  ...STORAGE_DRIVERS,
  ...BUS_AND_INPUT_DRIVERS,
  ...FILE_SYSTEMS,
  ...STORAGE_LAYERS,
].flatMap((line) => line.split(' '));

/** The index files that busybox modprobe reads. */
const INDEX_FILES = ['modules.dep', 'modules.alias', 'modules.symbols', 'modules.builtin'];

/**
 * Returns the selected modules, their dependencies, and new indexes for just these.
 *
 * @param kernelDirectory an unpacked linux-image package.
 * @param workDirectory an empty directory that may be written to.
 * @throws Error naming a module the kernel neither has as a file nor built in.
 */
export async function collectModules(
  kernelDirectory: string,
  { kernelRelease, modules }: { readonly kernelRelease: string; readonly modules: readonly string[] },
  workDirectory: string,
): Promise<readonly CpioEntry[]> {
  await runCommand('depmod', ['-b', kernelDirectory, kernelRelease]);
  const source = join(kernelDirectory, 'lib/modules', kernelRelease);
  const index = parseModulesDep(await readFile(join(source, 'modules.dep'), 'utf8'));
  const builtIn = (await readFile(join(source, 'modules.builtin'), 'utf8')).split('\n').map(moduleName);
  const paths = resolveModules(modules, index, new Set(builtIn));

  const target = join(workDirectory, 'lib/modules', kernelRelease);
  await mkdir(target, { recursive: true });
  for (const path of [...paths, 'modules.builtin', 'modules.order']) {
    await mkdir(join(target, dirname(path)), { recursive: true });
    await cp(join(source, path), join(target, path));
  }
  await runCommand('depmod', ['-b', workDirectory, kernelRelease]);
  return Promise.all(
    [...paths, ...INDEX_FILES].map(async (path) => ({
      kind: 'file' as const,
      path: `lib/modules/${kernelRelease}/${path}`,
      mode: 0o644,
      content: await readFile(join(target, path)),
    })),
  );
}

/** Reads `path: dependency dependency` lines, by module name. */
export function parseModulesDep(
  text: string,
): ReadonlyMap<string, { readonly path: string; readonly needs: readonly string[] }> {
  const index = new Map<string, { path: string; needs: readonly string[] }>();
  for (const line of text.split('\n')) {
    const [path, needs] = line.split(':');
    if (path === undefined || needs === undefined) continue;
    index.set(moduleName(path), { path, needs: needs.trim().split(' ').filter(Boolean) });
  }
  return index;
}

/**
 * Returns the paths of `names` and of all their dependencies, sorted. `modules.dep` already lists indirect
 * dependencies.
 */
export function resolveModules(
  names: readonly string[],
  index: ReturnType<typeof parseModulesDep>,
  builtIn: ReadonlySet<string>,
): readonly string[] {
  const paths = new Set<string>();
  for (const name of names) {
    const found = index.get(moduleName(name));
    if (found === undefined) {
      if (builtIn.has(moduleName(name))) continue;
      throw new Error(`the kernel has no module ${name}: remove it from hook/src/kernel-modules.ts`);
    }
    paths.add(found.path);
    for (const needed of found.needs) paths.add(needed);
  }
  return [...paths].sort();
}

/** The kernel treats `-` and `_` in names as the same. */
function moduleName(path: string): string {
  return basename(path)
    .replace(/\.ko(\.\w+)?$/, '')
    .replaceAll('-', '_');
}
