import { toJson } from '@bufbuild/protobuf';
import { AgentAttributesSchema } from '@tinkerbell/api/agent';
import { readAttributes } from '@tinkerbell/engine-hardware-attributes';
import { listNames, readLine } from '@tinkerbell/engine-hardware-attributes/sys-file';

import { LIST_MAX, number, readDisks, type DiskFacts } from './disk-facts.ts';
import { readNetwork, type NetworkFacts } from './network-facts.ts';

export interface Inventory {
  readonly apiVersion: 'tinkerbell.org/inventory/v1';
  /** What the agent reports to the server, under the names of its protocol. */
  readonly attributes: unknown;
  readonly memory: { readonly totalBytes: number; readonly swapBytes: number };
  readonly disks: readonly DiskFacts[];
  readonly network: readonly NetworkFacts[];
  readonly pci: readonly Readonly<Record<string, string>>[];
  readonly firmware: { readonly kind: 'uefi' | 'bios'; readonly vendor: string; readonly version: string };
  readonly kernel: string;
}

/** Reads `/proc`, `/sys` and `/dev` below `root`. */
export function readInventory(root: string, firmwareOf: ReadonlyMap<string, string>): Inventory {
  const memory = readLine(root, 'proc/meminfo');
  const bytesOf = (field: string): number =>
    number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(memory)?.[1] ?? '') * 1024;
  return {
    apiVersion: 'tinkerbell.org/inventory/v1',
    attributes: toJson(AgentAttributesSchema, readAttributes(root)),
    memory: { totalBytes: bytesOf('MemTotal'), swapBytes: bytesOf('SwapTotal') },
    disks: readDisks(root),
    network: readNetwork(root, firmwareOf),
    pci: readPci(root),
    firmware: {
      kind: listNames(root, 'sys/firmware/efi').length > 0 ? 'uefi' : 'bios',
      vendor: readLine(root, 'sys/class/dmi/id/bios_vendor'),
      version: readLine(root, 'sys/class/dmi/id/bios_version'),
    },
    kernel: readLine(root, 'proc/sys/kernel/osrelease'),
  };
}

/** Numbers of vendor, device and subsystem, as lspci -nn prints them. */
const PCI_FILES = [
  'class',
  'vendor',
  'device',
  'subsystem_vendor',
  'subsystem_device',
  'revision',
  'numa_node',
];

function readPci(root: string): Inventory['pci'] {
  const addresses = listNames(root, 'sys/bus/pci/devices').slice(0, LIST_MAX);
  return addresses.map((address) => ({
    address,
    ...Object.fromEntries(
      PCI_FILES.map((file) => [file, readLine(root, 'sys/bus/pci/devices', address, file)]),
    ),
  }));
}
