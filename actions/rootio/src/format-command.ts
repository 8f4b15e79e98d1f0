import { ActionError, type SegmentName } from '@tinkerbell/action-kit';

import type { LayoutFileSystem } from './disk-layout.ts';

export interface FormatCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The segment of the in-memory OS that has the program. */
  readonly segment?: SegmentName;
}

const SEGMENT = 'filesystems';

/** The arguments that make each program overwrite an old file system, and the Debian package that has it. */
const PROGRAMS: Readonly<Record<string, FormatCommand & { readonly package: string }>> = {
  ext2: { program: 'mke2fs', args: ['-t', 'ext2', '-F'], package: 'e2fsprogs', segment: SEGMENT },
  ext3: { program: 'mke2fs', args: ['-t', 'ext3', '-F'], package: 'e2fsprogs', segment: SEGMENT },
  ext4: { program: 'mke2fs', args: ['-t', 'ext4', '-F'], package: 'e2fsprogs', segment: SEGMENT },
  xfs: { program: 'mkfs.xfs', args: ['-f'], package: 'xfsprogs', segment: SEGMENT },
  btrfs: { program: 'mkfs.btrfs', args: ['-f'], package: 'btrfs-progs' },
  vfat: { program: 'mkfs.fat', args: [], package: 'dosfstools', segment: SEGMENT },
  swap: { program: 'mkswap', args: [], package: 'util-linux' },
};

/**
 * Returns the program that formats a device: options of the template first, as in upstream.
 *
 * @throws ActionError for a format that is not supported.
 */
export function formatCommand({ device, format, options }: LayoutFileSystem): FormatCommand {
  const { program, args, segment } = programFor(format, device);
  return {
    program,
    args: [...options, ...args, device],
    ...(segment === undefined ? {} : { segment }),
  };
}

/** Returns the error for a program that is not installed. */
export function missingProgram({ device, format }: LayoutFileSystem): string {
  const { program, package: name } = programFor(format, device);
  return `${device} cannot be formatted as ${format}: this system has no ${program} (Debian package ${name})`;
}

function programFor(format: string, device: string): FormatCommand & { readonly package: string } {
  const found = Object.hasOwn(PROGRAMS, format) ? PROGRAMS[format] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(PROGRAMS).join(', ');
  throw new ActionError(`${device}: the format "${format}" is not supported; use ${known}`);
}
