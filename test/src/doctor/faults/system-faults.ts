/** Faults between the script and the first action. */
import { ERASE, MEBIBYTE, type Fault } from '../fault.ts';

const RECORDED = { flags: ['--enable-secondstar', '--secondstar-port=0', '--secondstar-record'] };

/** The kernel refuses to load the driver of QEMU's card. iPXE stalls with the cards for which the in-memory OS has none. */
const WITHOUT_DRIVER = ['module_blacklist=virtio_net'];

export const systemFaults: readonly Fault[] = [
  {
    name: 'the folder of the kernel is wrong',
    inTest: {},
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
    name: 'the kernel panics, and the console is recorded',
    cause: 'kernel-panic',
    firmware: 'bios',
    kernelArguments: ['rdinit=/absent'],
    bmc: { protocol: 'ipmi' },
    ...RECORDED,
    actions: ERASE,
  },
  {
    name: 'the initramfs is larger than the memory',
    cause: 'system-silent',
    firmware: 'bios',
    machine: { memoryMebibytes: 160 },
    actions: ERASE,
  },
  {
    name: 'the in-memory OS has no driver for the network card',
    cause: 'system-silent',
    firmware: 'bios',
    kernelArguments: WITHOUT_DRIVER,
    actions: ERASE,
  },
  {
    name: 'there is no driver for the network card, and the console is recorded',
    cause: 'no-network-driver',
    firmware: 'bios',
    kernelArguments: WITHOUT_DRIVER,
    bmc: { protocol: 'ipmi' },
    ...RECORDED,
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
    name: 'gRPC is blocked',
    cause: 'agent-silent',
    firmware: 'bios',
    dropped: ['-p', 'tcp', '--dport', '42113'],
    actions: ERASE,
  },
  {
    name: 'the agent does not know the authority of the certificate',
    cause: 'server-not-trusted',
    firmware: 'bios',
    tls: 'unknown',
    actions: ERASE,
  },
  {
    name: 'the clock is years behind',
    cause: 'clock-wrong',
    firmware: 'bios',
    tls: 'trusted',
    machine: { clockStart: '2016-01-01T00:00:00' },
    actions: ERASE,
  },
];
