/** Machines that do not boot, each for one reason, and the id of the cause that the doctor must find. */
import type { Firmware } from '@tinkerbell/sandbox';

export interface Fault {
  readonly name: string;
  /** Absent: the machine boots, and nothing may be found. */
  readonly cause?: string;
  readonly firmware: Firmware;
  readonly flags?: readonly string[];
  /** Fields of `netboot` of the Hardware. */
  readonly netboot?: Readonly<Record<string, unknown>>;
  /** The MAC in the Hardware differs from that of the machine by one digit. */
  readonly hasWrongMac?: boolean;
  /** Arguments of iptables on the server, for packets of the machine. */
  readonly dropped?: readonly string[];
  /** The actions of the Template, or a Template that does not render. Absent: no workflow. */
  readonly actions?: string;
}

const ERASE = `
      - name: erase
        image: quay.io/tinkerbell/actions/erase:latest
        timeout: 90
        environment:
          ERASE_DISK: /dev/vda
          ERASE_METHOD: overwrite`;

const MISSING_IMAGE = `
      - name: write image
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 90
        environment:
          DEST_DISK: /dev/vda
          IMG_URL: http://SERVER:7080/images/absent.img
          COMPRESSED: false`;

export const faults: readonly Fault[] = [
  { name: 'a healthy machine', firmware: 'bios', actions: ERASE },
  {
    name: 'allowPXE is false',
    cause: 'netboot-not-allowed',
    firmware: 'uefi',
    netboot: { allowPXE: false },
    actions: ERASE,
  },
  {
    name: 'the MAC has a typing error',
    cause: 'mac-typo',
    firmware: 'bios',
    hasWrongMac: true,
    actions: ERASE,
  },
  {
    name: 'TFTP is blocked',
    cause: 'tftp-blocked',
    firmware: 'uefi',
    dropped: ['-p', 'udp', '--dport', '69'],
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
  { name: 'the image does not exist', cause: 'image-not-found', firmware: 'bios', actions: MISSING_IMAGE },
  {
    name: 'the Template does not render',
    cause: 'template-not-rendered',
    firmware: 'bios',
    actions: `
      - name: "{{ index .absent 3 }}"
        image: quay.io/tinkerbell/actions/erase:latest
        timeout: 90`,
  },
  { name: 'no workflow names the machine', cause: 'no-workflow', firmware: 'bios' },
  {
    name: 'gRPC is blocked',
    cause: 'agent-silent',
    firmware: 'bios',
    dropped: ['-p', 'tcp', '--dport', '42113'],
    actions: ERASE,
  },
];
