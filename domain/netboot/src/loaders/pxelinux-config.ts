import type { LoaderTarget } from './loader-target.ts';

/**
 * Returns a PXELINUX configuration that boots at once. U-Boot reads the same format. Paths are relative: PXELINUX and U-Boot put
 * the directory of their own boot file before them, and the server ignores it.
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

/** PXELINUX passes control to the next boot device. U-Boot without a `localcmd` falls through to its next boot target. */
export function pxelinuxBootsDisk(): string {
  return ['DEFAULT local', 'PROMPT 0', 'LABEL local', '  LOCALBOOT 0', ''].join('\n');
}
