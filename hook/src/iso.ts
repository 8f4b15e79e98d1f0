/**
 * Builds the in-memory OS as one image that boots as a CD and as a disk, by BIOS and by UEFI. Its kernel
 * command line is the magic, which the server replaces with a machine's arguments.
 */
import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ISO_MAGIC } from '@tinkerbell/netboot';

import type { ArchitectureName } from './architecture.ts';
import { moduleDirectory, type GrubFormat } from './grub-modules.ts';
import { runCommand } from './run-command.ts';

export interface IsoOptions {
  readonly architecture: ArchitectureName;
  /**
   * Has `vmlinuz-<architecture>` and `initramfs-<architecture>`. `hook-<architecture>.iso` is written beside
   * them.
   */
  readonly directory: string;
  readonly cacheDirectory: string;
}

export interface IsoArtifact {
  readonly path: string;
  readonly bytes: number;
}

interface EfiLoader {
  readonly format: GrubFormat;
  /** The file that firmware starts from any medium. */
  readonly fileName: string;
}

const EFI_LOADERS: Readonly<Record<ArchitectureName, EfiLoader>> = {
  x86_64: { format: 'x86_64-efi', fileName: 'BOOTX64.EFI' },
  aarch64: { format: 'arm64-efi', fileName: 'BOOTAA64.EFI' },
};

const MODULES = [
  'boot',
  'configfile',
  'echo',
  'fat',
  'iso9660',
  'linux',
  'normal',
  'part_gpt',
  'part_msdos',
  'search',
  'search_fs_file',
  'test',
];

/** Equal inputs give equal bytes: one time for everything, the earliest that FAT supports. */
const FIXED_TIME = { SOURCE_DATE_EPOCH: '315532800' };
const FIXED_DATE = '1980010100000000';
const FAT_SERIAL = '54494e4b';

/**
 * Writes the image. Equal kernels and initramfs give equal images. @throws Error that names the Debian
 * package of a missing tool.
 */
export async function buildIso({
  architecture,
  directory,
  cacheDirectory,
}: IsoOptions): Promise<IsoArtifact> {
  const work = await mkdtemp(join(tmpdir(), 'hook-iso-'));
  try {
    const tree = join(work, 'tree');
    const marker = await layTree(tree, directory, architecture);
    const early = join(work, 'early.cfg');
    await writeFile(early, earlyConfiguration(marker));
    const place = { work, tree, early, cacheDirectory };
    const efi = await makeEfiImage(place, EFI_LOADERS[architecture]);
    const bios = architecture === 'x86_64' ? await makeBiosArguments(place) : [];
    const path = join(directory, `hook-${architecture}.iso`);
    const partial = `${path}.${process.pid}`;
    const image = ['-as', 'mkisofs', '-quiet', '-o', partial, '-R', '-J', '-V', 'TINKERBELL_HOOK'];
    const dates = [`--modification-date=${FIXED_DATE}`, '--set_all_file_dates', FIXED_DATE];
    const boot = [...bios, '--efi-boot', efi, '-efi-boot-part', '--efi-boot-image'];
    await runCommand('xorriso', [...image, ...dates, ...boot, tree], { environment: FIXED_TIME });
    // Replaced as a whole, because a server may be reading the old one.
    await rename(partial, path);
    return { path, bytes: (await stat(path)).size };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Place {
  readonly work: string;
  /** The content of the image's file system. */
  readonly tree: string;
  readonly early: string;
  readonly cacheDirectory: string;
}

/** Returns the name of a file that no other medium has. */
async function layTree(tree: string, directory: string, architecture: ArchitectureName): Promise<string> {
  await mkdir(join(tree, 'boot/grub'), { recursive: true });
  const hash = createHash('sha256');
  for (const name of [`vmlinuz-${architecture}`, `initramfs-${architecture}`]) {
    const source = join(directory, name);
    hash.update(await readFile(source));
    // Another file system, so the file is copied.
    await link(source, join(tree, 'boot', name)).catch(() => copyFile(source, join(tree, 'boot', name)));
  }
  const marker = `/boot/tinkerbell-${hash.digest('hex').slice(0, 16)}`;
  await writeFile(join(tree, marker), '');
  await writeFile(join(tree, 'boot/grub/grub.cfg'), grubConfiguration(architecture));
  return marker;
}

function grubConfiguration(architecture: ArchitectureName): string {
  return [
    "echo 'Loading the in-memory OS...'",
    `linux /boot/vmlinuz-${architecture} ${ISO_MAGIC}`,
    `initrd /boot/initramfs-${architecture}`,
    'boot',
    '',
  ].join('\n');
}

/** A script in GRUB itself: finds the image, whether it is a CD, a disk, or one of several. */
function earlyConfiguration(marker: string): string {
  return `search --no-floppy --file --set=root ${marker}\nconfigfile ($root)/boot/grub/grub.cfg\n`;
}

/**
 * Creates a FAT file system with GRUB, as El Torito requires. GRUB is in the tree too, for firmware that
 * reads CDs itself.
 */
async function makeEfiImage(place: Place, { format, fileName }: EfiLoader): Promise<string> {
  const { work, tree } = place;
  await mkdir(join(tree, 'EFI/BOOT'), { recursive: true });
  const loader = join(tree, 'EFI/BOOT', fileName);
  await makeGrub(place, { format, output: loader, modules: [] });
  const image = join(work, 'efi.img');
  const kibibytes = Math.ceil((await stat(loader)).size / 1024) + 256;
  const mtools = (command: string, ...args: string[]) =>
    runCommand(command, ['-i', image, ...args], { environment: FIXED_TIME });
  await mtools('mformat', '-C', '-N', FAT_SERIAL, '-T', String(kibibytes * 2), '-h', '2', '-s', '32', '::');
  await mtools('mmd', '::/EFI', '::/EFI/BOOT');
  await mtools('mcopy', loader, `::/EFI/BOOT/${fileName}`);
  await copyFile(image, join(tree, 'boot/grub/efi.img'));
  return 'boot/grub/efi.img';
}

/** Creates El Torito for BIOS, and a master boot record that finds the same GRUB when the image is a disk. */
async function makeBiosArguments(place: Place): Promise<readonly string[]> {
  const name = 'boot/grub/bios.img';
  await makeGrub(place, {
    format: 'i386-pc',
    target: 'i386-pc-eltorito',
    output: join(place.tree, name),
    modules: ['biosdisk'],
  });
  const record = join(await moduleDirectory('i386-pc', place.cacheDirectory), 'boot_hybrid.img');
  const table = ['-boot-load-size', '4', '-boot-info-table', '--grub2-boot-info'];
  return ['-b', name, '-no-emul-boot', ...table, '--grub2-mbr', record];
}

interface GrubImage {
  readonly format: GrubFormat;
  /** Default: the format's own. */
  readonly target?: string;
  readonly output: string;
  readonly modules: readonly string[];
}

async function makeGrub({ early, cacheDirectory }: Place, image: GrubImage): Promise<void> {
  const directory = await moduleDirectory(image.format, cacheDirectory);
  const place = ['-d', directory, '-O', image.target ?? image.format, '-o', image.output];
  const content = ['-c', early, '-p', '/boot/grub', ...MODULES, ...image.modules];
  await runCommand('grub-mkimage', [...place, ...content]);
}
