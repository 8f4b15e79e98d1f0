import { readFile } from 'node:fs/promises';

import {
  ActionError,
  assertBlockDevice,
  defineAction,
  ensureSegment,
  mustRun,
  openWholeDisk,
  readEnvironment,
  readTableOf,
  runProgram,
  type ActionContext,
  writeFully,
} from '@tinkerbell/action-kit';

/** The disk id and the table follow it. */
const BOOT_CODE_BYTES = 440;
/** Debian, Alpine, Fedora. */
const BOOT_CODE_FILES = [
  '/usr/lib/syslinux/mbr/mbr.bin',
  '/usr/share/syslinux/mbr.bin',
  '/usr/lib/SYSLINUX/mbr.bin',
];
const UPSTREAM_VERSIONS: readonly string[] = ['386', '3.86'];

/** Installs syslinux. Variables as in upstream's syslinux: DEST_DISK, DEST_PARTITION, SYSLINUX_VERSION. */
export const syslinuxAction = defineAction('syslinux', async (environment, context) => {
  const read = readEnvironment('syslinux', environment);
  const disk = read.absolutePath('DEST_DISK', 'the disk, for example /dev/sda');
  const partition = read.absolutePath('DEST_PARTITION', 'its FAT partition, for example /dev/sda1');
  const version = read.optional('SYSLINUX_VERSION');
  if (version !== undefined && !UPSTREAM_VERSIONS.includes(version))
    read.problem(`SYSLINUX_VERSION=${version} must be ${UPSTREAM_VERSIONS.join(' or ')}, or absent`);
  read.finish();
  await ensureSegment('boot', context);
  const installed = await installedVersion(context);
  if (version !== undefined)
    context.log.warn('the syslinux of this system is used instead of the requested one', {
      installed,
      requested: version,
    });
  await assertBootable(disk);
  await assertBlockDevice(partition);
  const bootCode = await readBootCode();
  // First the partition: boot code without a loader would not start anything.
  await mustRun('syslinux', ['--install', partition], { signal: context.signal, log: context.log });
  await writeBootCode(disk, bootCode);
  return { message: `installed ${installed} on ${partition}, and its boot code on ${disk}` };
});

async function installedVersion({ signal }: ActionContext): Promise<string> {
  const result = await runProgram('syslinux', ['--version'], { signal }).catch(() => undefined);
  if (result !== undefined) return /syslinux \S+/i.exec(result.output)?.[0] ?? 'syslinux';
  throw new ActionError(
    'this system has no syslinux (Debian package syslinux): run it in the installed system with cexec',
  );
}

async function assertBootable(disk: string): Promise<void> {
  const table = await readTableOf(disk);
  if (table.kind !== 'mbr')
    throw new ActionError(
      `${disk} has ${table.kind === 'gpt' ? 'a GPT' : 'no partition table'}, and syslinux needs an MBR: set MBR=true in rootio`,
    );
  if (!table.table.partitions.some(({ active }) => active))
    throw new ActionError(
      `${disk} has no active partition, which a BIOS needs: use the label FAT32_ACTIVE in rootio`,
    );
}

async function readBootCode(): Promise<Buffer> {
  for (const path of BOOT_CODE_FILES) {
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes !== undefined && bytes.length <= BOOT_CODE_BYTES) return bytes;
  }
  throw new ActionError(`this system has no boot code of syslinux (Debian package syslinux-common)`);
}

async function writeBootCode(disk: string, bootCode: Buffer): Promise<void> {
  await using file = await openWholeDisk(disk);
  const bytes = Buffer.alloc(BOOT_CODE_BYTES);
  bytes.set(bootCode);
  await writeFully(file, bytes, 0);
  await file.sync();
}
