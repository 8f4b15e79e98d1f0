/** Faults between the machine's address and its kernel. */
import { blackHole } from '../disturbances.ts';
import { ERASE, type Fault } from '../fault.ts';

export const loaderFaults: readonly Fault[] = [
  {
    name: 'allowPXE is false',
    cause: 'netboot-not-allowed',
    firmware: 'uefi',
    netboot: { allowPXE: false },
    actions: ERASE,
  },
  {
    name: 'TFTP is blocked',
    isInTest: true,
    cause: 'tftp-blocked',
    firmware: 'uefi',
    dropped: ['-p', 'udp', '--dport', '69'],
    actions: ERASE,
  },
  {
    name: 'the MTU is too small for a block of TFTP',
    cause: 'tftp-timeout',
    firmware: 'uefi',
    relay: 'right',
    disturb: blackHole,
    actions: ERASE,
  },
  {
    name: 'HTTP is blocked',
    cause: 'http-blocked',
    firmware: 'uefi',
    dropped: ['-p', 'tcp', '--dport', '7080'],
    actions: ERASE,
  },
  {
    name: 'the boot file is for another architecture',
    cause: 'wrong-architecture',
    firmware: 'uefi',
    netboot: { ipxe: { binary: 'ipxe-arm64.efi' } },
    actions: ERASE,
  },
  {
    name: 'Secure Boot refuses the boot file',
    cause: 'secure-boot-refused',
    firmware: 'uefi-secure',
    actions: ERASE,
  },
  {
    name: 'the server has no file for the architecture',
    cause: 'no-boot-file',
    firmware: 'uefi',
    flags: ['--ipxe-override-arch-mapping=7=absent.efi'],
    actions: ERASE,
  },
  {
    name: 'HTTP is blocked for UEFI HTTP boot',
    cause: 'http-boot-blocked',
    firmware: 'uefi-http',
    dropped: ['-p', 'tcp', '--dport', '7080'],
    actions: ERASE,
  },
];
