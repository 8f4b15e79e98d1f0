/** Faults between the machine's address and its kernel. */
import { blackHole, blockedAtRelay, workIsPending } from '../disturbances.ts';
import { REPLACE_ROM } from '../../firmware/cases.ts';
import { ERASE, type Fault } from '../fault.ts';

/** The option ROM loads a boot file, as UEFI firmware does. */
const BY_TFTP: Fault['inTest'] = { firmware: 'bios', flags: REPLACE_ROM };

export const loaderFaults: readonly Fault[] = [
  {
    name: 'allowPXE is false',
    inTest: { firmware: 'bios', disturb: workIsPending },
    cause: 'netboot-not-allowed',
    firmware: 'uefi',
    netboot: { allowPXE: false },
    actions: ERASE,
  },
  {
    name: 'TFTP is blocked',
    inTest: BY_TFTP,
    cause: 'tftp-blocked',
    firmware: 'uefi',
    dropped: ['-p', 'udp', '--dport', '69'],
    actions: ERASE,
  },
  {
    name: 'TFTP is blocked at the relay, which the server asks',
    cause: 'tftp-blocked',
    firmware: 'uefi',
    relay: 'asked',
    flags: ['--doctor-active-checks'],
    disturb: blockedAtRelay,
    evidence: /^checked ports: TFTP, udp\/69 of \S+ does not answer the relay rack-7: nothing within 3 s$/,
    actions: ERASE,
  },
  {
    name: 'the MTU is too small for a block of TFTP',
    inTest: BY_TFTP,
    cause: 'tftp-timeout',
    firmware: 'uefi',
    relay: 'right',
    disturb: blackHole,
    actions: ERASE,
  },
  {
    name: 'HTTP is blocked',
    inTest: { firmware: 'bios' },
    cause: 'http-blocked',
    firmware: 'uefi',
    dropped: ['-p', 'tcp', '--dport', '7080'],
    actions: ERASE,
  },
  {
    name: 'the boot file is for another architecture',
    inTest: BY_TFTP,
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
    inTest: { firmware: 'bios', flags: ['--ipxe-override-arch-mapping=0=absent.0', ...REPLACE_ROM] },
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
