/**
 * Builds GRUB for both firmwares from its modules and puts it in place without installing it: no root, no
 * loop device, no chroot. Both find the root file system by its label and continue with its grub.cfg.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '@tinkerbell/hook';

const MODULE_DIRECTORY = '/usr/lib/grub';
const MODULES = [
  'part_gpt',
  'ext2',
  'fat',
  'normal',
  'linux',
  'search',
  'search_label',
  'configfile',
  'echo',
  'test',
];

const EARLY_CONFIGURATION = `serial --unit=0 --speed=115200
terminal_output console serial
search --no-floppy --label root --set=root
configfile ($root)/boot/grub/grub.cfg
`;

/** GRUB's boot.img: the place for the sector number of the next stage, and a jump that floppies need. */
const BOOT_CODE_BYTES = 440;
const CORE_SECTOR_OFFSET = 0x5c;
const DRIVE_CHECK_OFFSET = 0x66;
const NO_OPERATION = 0x90;
/** GRUB's diskboot.img, the first sector of core.img: the place for the sector number of the rest. */
const REST_SECTOR_OFFSET = 0x1f4;

/** Returns the path of `BOOTX64.EFI`, the name that firmware starts from any disk. */
export async function makeEfiLoader(workDirectory: string): Promise<string> {
  return makeImage(workDirectory, 'x86_64-efi', ['efi_gop', 'serial', 'terminal']);
}

export interface BiosLoader {
  /** The first bytes of the disk, up to the disk signature. */
  readonly bootCode: Uint8Array;
  /** Must be written at `coreSector`. */
  readonly core: Uint8Array;
}

/** Returns the code of the master boot record, and GRUB's core with its own position on the disk. */
export async function makeBiosLoader(workDirectory: string, coreSector: number): Promise<BiosLoader> {
  const path = await makeImage(workDirectory, 'i386-pc', ['biosdisk', 'serial', 'terminal']);
  const boot = await readFile(join(MODULE_DIRECTORY, 'i386-pc/boot.img'));
  boot.writeBigUInt64LE(BigInt(coreSector), CORE_SECTOR_OFFSET);
  boot.fill(NO_OPERATION, DRIVE_CHECK_OFFSET, DRIVE_CHECK_OFFSET + 2);
  const core = await readFile(path);
  core.writeBigUInt64LE(BigInt(coreSector + 1), REST_SECTOR_OFFSET);
  return { bootCode: boot.subarray(0, BOOT_CODE_BYTES), core };
}

async function makeImage(workDirectory: string, format: string, modules: readonly string[]): Promise<string> {
  const configuration = join(workDirectory, 'early.cfg');
  await writeFile(configuration, EARLY_CONFIGURATION);
  const image = join(workDirectory, `grub-${format}`);
  const options = ['-O', format, '-o', image, '-c', configuration, '-p', '/boot/grub'];
  await runCommand('grub-mkimage', [...options, ...MODULES, ...modules]);
  return image;
}
