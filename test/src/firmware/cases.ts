/** The machines that boot, and how each is configured. */
import type { Firmware } from '@tinkerbell/sandbox';

export type Mode = 'reservation' | 'proxy';
export type Path = 'direct' | 'relayed';
export type ForeignServer = 'dnsmasq' | 'kea' | 'dhcpd';

export interface BootLoader {
  readonly name: string;
  readonly firmware: Firmware;
  /** Flags added to the command line of the server. */
  readonly flags?: readonly string[];
  /** `netboot.ipxe.binary` of the Hardware. */
  readonly binary?: string;
  readonly isTls?: boolean;
  /** Boots from our own image in the CD drive, with the machine's kernel arguments in it. */
  readonly isIso?: boolean;
  /** It loads files from the server that the foreign DHCP server names, and does not support a proxy. */
  readonly needsNextServer?: boolean;
}

/**
 * QEMU's option ROM is an iPXE that can run scripts. To load something else it must lack a feature: it has no
 * TLS.
 */
export const REPLACE_ROM = ['--ipxe-needed-features=https'];

export const bootLoaders: readonly BootLoader[] = [
  { name: 'bios-rom', firmware: 'bios' },
  { name: 'undionly', firmware: 'bios', flags: REPLACE_ROM },
  { name: 'pxelinux', firmware: 'bios', flags: REPLACE_ROM, binary: 'lpxelinux.0' },
  { name: 'uefi-pxe', firmware: 'uefi' },
  { name: 'snponly', firmware: 'uefi', binary: 'snponly.efi' },
  { name: 'grub', firmware: 'uefi', binary: 'grubx64.efi' },
  { name: 'uefi-http', firmware: 'uefi-http' },
  { name: 'uefi-https', firmware: 'uefi-https', isTls: true },
  { name: 'arm64-uefi', firmware: 'arm64-uefi' },
  { name: 'u-boot', firmware: 'u-boot', needsNextServer: true },
];

export interface BootCase {
  readonly loader: BootLoader;
  readonly mode: Mode;
  readonly path: Path;
  /** The server that assigns the addresses where ours is a proxy. */
  readonly foreign: ForeignServer;
}

export function nameOf({ loader, mode, path, foreign }: BootCase): string {
  return [loader.name, mode, path, ...(mode === 'proxy' ? [`beside ${foreign}`] : [])].join(', ');
}

/** Every boot loader in both modes, direct and through a relay. */
export const firmwareMatrix: readonly BootCase[] = bootLoaders.flatMap((loader) =>
  (['reservation', 'proxy'] as const).flatMap((mode) =>
    (['direct', 'relayed'] as const).map((path) => ({ loader, mode, path, foreign: 'dnsmasq' }) as const),
  ),
);

/** The three boot paths of x86 firmware beside each of three foreign servers. */
export const foreignMatrix: readonly BootCase[] = (['kea', 'dhcpd', 'dnsmasq'] as const).flatMap((foreign) =>
  ['bios-rom', 'uefi-pxe', 'uefi-http'].flatMap((name) =>
    bootLoaders
      .filter((loader) => loader.name === name)
      .map((loader) => ({ loader, mode: 'proxy', path: 'direct', foreign }) as const),
  ),
);

/**
 * The cases that `npm test` boots: each boot loader, each mode and path, and each foreign server at least
 * once.
 */
const TESTED = [
  'bios-rom, reservation, relayed',
  'undionly, reservation, direct',
  'pxelinux, reservation, direct',
  'uefi-pxe, proxy, relayed, beside dnsmasq',
  'snponly, proxy, direct, beside dnsmasq',
  'grub, reservation, direct',
  'uefi-http, proxy, direct, beside dhcpd',
  'uefi-https, reservation, direct',
  'arm64-uefi, reservation, direct',
  'u-boot, reservation, direct',
  'bios-rom, proxy, relayed, beside dnsmasq',
  'uefi-pxe, proxy, direct, beside kea',
  'bios-rom, proxy, direct, beside dhcpd',
];

export const testedCases: readonly BootCase[] = [...firmwareMatrix, ...foreignMatrix].filter((one) =>
  TESTED.includes(nameOf(one)),
);

/** Only the image identifies the machine: no DHCP, no TFTP. */
const FROM_IMAGE = ['--dhcp-enabled=false', '--tftp-server-enabled=false', '--iso-static-ipam-enabled=true'];

/** Our own image as virtual media, with a static address. */
export const isoMatrix: readonly BootCase[] = (['bios', 'uefi', 'arm64-uefi'] as const).map((firmware) => ({
  loader: { name: `iso-${firmware}`, firmware, flags: FROM_IMAGE, isIso: true },
  mode: 'reservation',
  path: 'direct',
  foreign: 'dnsmasq',
}));
