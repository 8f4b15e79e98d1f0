import type { LoaderTarget } from './loader-target.ts';

/**
 * A PXELINUX configuration that boots at once. U-Boot reads the same. Paths are relative: PXELINUX and U-Boot put the
 * directory of their own boot file before them, which the server passes over.
 */
export function pxelinuxConfig({ kernel, initrd, commandLine }: LoaderTarget): string {
  return [
    'DEFAULT tinkerbell',
    'PROMPT 0',
    'LABEL tinkerbell',
    `  KERNEL ${kernel}`,
    `  INITRD ${initrd}`,
    `  APPEND ${commandLine.join(' ')}`,
    '',
  ].join('\n');
}

/** PXELINUX hands over to the next boot device; U-Boot, without a `localcmd`, falls through to its next boot target. */
export function pxelinuxBootsDisk(): string {
  return ['DEFAULT local', 'PROMPT 0', 'LABEL local', '  LOCALBOOT 0', ''].join('\n');
}
