/** Machines that do not boot, each for one reason, and the id of the cause that the doctor must find. */
import type { Firmware } from '@tinkerbell/sandbox';

export interface Fault {
  readonly name: string;
  /** Also in `npm test`, which has time for a third of them. */
  readonly isInTest?: boolean;
  /** Absent: the machine boots, and nothing may be found. */
  readonly cause?: string;
  readonly firmware: Firmware;
  readonly flags?: readonly string[];
  /** Fields of `netboot` of the Hardware. `SERVER` is the address of the server. */
  readonly netboot?: Readonly<Record<string, unknown>>;
  /** The MAC in the Hardware differs from that of the machine by one digit. */
  readonly hasWrongMac?: boolean;
  /** Arguments of iptables on the server, for packets of the machine. */
  readonly dropped?: readonly string[];
  /** The actions of the Template, or a Template that does not render. Absent: no workflow. */
  readonly actions?: string;
  /** Of the Workflow. */
  readonly isDisabled?: boolean;
  /** Sizes of image files of zeros, in bytes, by name. */
  readonly images?: Readonly<Record<string, number>>;
  /** The size to which a file of the in-memory OS is cut, in bytes. */
  readonly cutTo?: Readonly<Record<string, number>>;
  readonly memoryMebibytes?: number;
  /** Further arguments of the kernel. */
  readonly kernelArguments?: readonly string[];
}

const MEBIBYTE = 1024 * 1024;

const ERASE = `
      - name: erase
        image: quay.io/tinkerbell/actions/erase:latest
        timeout: 90
        environment:
          ERASE_DISK: /dev/vda
          ERASE_METHOD: overwrite`;

const imageAction = (image: string, disk = '/dev/vda', more = ''): string => `
      - name: write image
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 90
        environment:
          DEST_DISK: ${disk}
          IMG_URL: http://SERVER:7080/images/${image}
          COMPRESSED: false${more}`;

const WRONG_CHECKSUM = `
          IMG_CHECKSUM: sha256:${'0'.repeat(64)}`;

export const faults: readonly Fault[] = [
  { name: 'a healthy machine', isInTest: true, firmware: 'bios', actions: ERASE },
  { name: 'a healthy machine with UEFI', firmware: 'uefi', actions: ERASE },
  { name: 'a healthy machine with UEFI HTTP boot', firmware: 'uefi-http', actions: ERASE },
  {
    name: 'allowPXE is false',
    cause: 'netboot-not-allowed',
    firmware: 'uefi',
    netboot: { allowPXE: false },
    actions: ERASE,
  },
  {
    name: 'the MAC has a typing error',
    isInTest: true,
    cause: 'mac-typo',
    firmware: 'bios',
    hasWrongMac: true,
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
    name: 'the image does not exist',
    isInTest: true,
    cause: 'image-not-found',
    firmware: 'bios',
    actions: imageAction('absent.img'),
  },
  {
    name: 'the image is larger than the disk',
    cause: 'disk-too-small',
    firmware: 'bios',
    images: { 'large.img': 128 * MEBIBYTE },
    actions: imageAction('large.img'),
  },
  {
    name: 'the image has another checksum',
    cause: 'image-checksum-wrong',
    firmware: 'bios',
    images: { 'small.img': MEBIBYTE },
    actions: imageAction('small.img', '/dev/vda', WRONG_CHECKSUM),
  },
  {
    name: 'the disk does not exist',
    cause: 'disk-absent',
    firmware: 'bios',
    images: { 'small.img': MEBIBYTE },
    actions: imageAction('small.img', '/dev/vdz'),
  },
  {
    name: 'the server of the image does not answer',
    cause: 'image-unreachable',
    firmware: 'bios',
    actions: imageAction('small.img').replace('SERVER:7080', 'SERVER:9'),
  },
  {
    name: 'the only workflow is disabled',
    cause: 'workflow-disabled',
    firmware: 'bios',
    isDisabled: true,
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
  {
    name: 'the folder of the kernel is wrong',
    cause: 'kernel-missing',
    firmware: 'bios',
    netboot: { osie: { baseURL: 'http://SERVER:7080/hook/absent' } },
    actions: ERASE,
  },
  {
    name: 'the server of the kernel does not exist',
    cause: 'kernel-not-requested',
    firmware: 'bios',
    netboot: { osie: { baseURL: 'http://192.0.2.1/hook' } },
    actions: ERASE,
  },
  {
    name: 'the kernel is cut short, and the machine restarts',
    cause: 'reboot-loop',
    firmware: 'bios',
    cutTo: { 'vmlinuz-x86_64': 2 * MEBIBYTE },
    actions: ERASE,
  },
  {
    name: 'the initramfs is cut short',
    cause: 'system-silent',
    firmware: 'bios',
    cutTo: { 'initramfs-x86_64': 4 * MEBIBYTE },
    actions: ERASE,
  },
  {
    name: 'the kernel finds no init',
    cause: 'system-silent',
    firmware: 'bios',
    kernelArguments: ['rdinit=/absent'],
    actions: ERASE,
  },
  {
    name: 'the machine has 160 MiB of memory',
    cause: 'system-silent',
    firmware: 'bios',
    memoryMebibytes: 160,
    actions: ERASE,
  },
  {
    name: 'agents get the wrong address of the server',
    cause: 'agent-cannot-connect',
    firmware: 'bios',
    flags: ['--ipxe-script-tink-server-addr-port=192.0.2.1:42113'],
    actions: ERASE,
  },
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
