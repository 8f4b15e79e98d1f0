import { grubBootsDisk, grubConfig } from './grub-config.ts';
import { kernelArgumentsFor } from './kernel-arguments.ts';
import type { LoaderTarget } from './loader-target.ts';
import { checkedText, commandLineWords, LoaderValueError } from './loader-value.ts';
import { pxelinuxBootsDisk, pxelinuxConfig } from './pxelinux-config.ts';
import type { Reservation } from '../dhcp/reservation.ts';
import type { ScriptInput } from './script.ts';
import type { HookScriptSettings } from '../settings.ts';

export type LoaderKind = 'pxelinux' | 'grub';

export type LoaderConfig =
  | { readonly kind: 'config'; readonly name: 'hook' | 'local-boot'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: 'netboot-not-allowed' }
  | { readonly kind: 'invalid'; readonly message: string };

/** The path below which TFTP and HTTP serve the files of the in-memory OS. */
export const HOOK_PREFIX = 'hook/';

const writers = {
  pxelinux: { boots: pxelinuxConfig, bootsDisk: pxelinuxBootsDisk },
  grub: { boots: grubConfig, bootsDisk: grubBootsDisk },
} as const;

/**
 * Returns the configuration of PXELINUX (and U-Boot, which reads the same files) or GRUB for a machine. It boots the in-memory OS
 * with the arguments of the iPXE script while there is work, and otherwise the local disk. It follows the rules of `scriptFor`,
 * but ignores a Hardware's own iPXE script.
 */
export function loaderConfigFor(
  kind: LoaderKind,
  { reservation, machineState, settings }: ScriptInput,
): LoaderConfig {
  const writer = writers[kind];
  const { bootLocalWhenIdle, hook } = settings;
  if (!reservation.mayNetboot && !bootLocalWhenIdle)
    return { kind: 'refused', reason: 'netboot-not-allowed' };
  const hasWork = machineState.hasWorkToDo || reservation.isRescue;
  if (!reservation.mayNetboot || (!hasWork && bootLocalWhenIdle))
    return { kind: 'config', name: 'local-boot', text: writer.bootsDisk() };
  try {
    return { kind: 'config', name: 'hook', text: writer.boots(loaderTargetFor(reservation, hook)) };
  } catch (error) {
    if (error instanceof LoaderValueError) return { kind: 'invalid', message: error.message };
    throw error;
  }
}

function loaderTargetFor(reservation: Reservation, settings: HookScriptSettings): LoaderTarget {
  const { path, architecture, osie } = reservation;
  const where = `${path}.netboot.osie`;
  const arch = checkedText(`${path}.dhcp.arch`, architecture);
  const base = osie.baseURL ?? '';
  const prefix = base === '' ? HOOK_PREFIX : `${checkedText(`${where}.baseURL`, base).replace(/\/+$/, '')}/`;
  const nameOf = (field: 'kernel' | 'initrd', global: string) => {
    const own = osie[field] ?? '';
    return own === ''
      ? `${checkedText(`${field} name`, global)}-${arch}`
      : checkedText(`${where}.${field}`, own);
  };
  const { identity, rest } = kernelArgumentsFor(reservation, settings);
  return {
    kernel: prefix + nameOf('kernel', settings.kernelName ?? 'vmlinuz'),
    initrd: prefix + nameOf('initrd', settings.initrdName ?? 'initramfs'),
    // It has no initrd=: PXELINUX adds its own, and the kernel's EFI stub would search for a file of that
    // name and give up.
    commandLine: commandLineWords([...identity, ...rest]),
  };
}
