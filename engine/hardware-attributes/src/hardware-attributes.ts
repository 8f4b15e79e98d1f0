/**
 * Reads the hardware attributes of this machine for discovery and for WorkflowRuleSets. Upstream reads the same facts with
 * ghw. Sizes are text rounded up in units of 1024, as in upstream (`32GB`).
 */
import { join } from 'node:path';

import { create } from '@bufbuild/protobuf';
import {
  AgentAttributesSchema,
  BaseboardSchema,
  BIOSSchema,
  BlockSchema,
  ChassisSchema,
  CPUSchema,
  GPUSchema,
  MemorySchema,
  PCISchema,
  ProcessorSchema,
  ProductSchema,
  type AgentAttributes,
  type Block,
  type CPU,
  type Memory,
  type PCI,
} from '@tinkerbell/api/agent';

import { readNetworkInterfaces } from './network-attributes.ts';
import { linkName, listNames, readLine } from './sys-file.ts';

const SECTOR_BYTES = 512;
const PCI_CLASS_DISPLAY = '0x03';

/** Reads `/proc` and `/sys` below `root`. Unknown facts are empty. */
export function readAttributes(root: string): AgentAttributes {
  const sys = join(root, 'sys');
  const dmi = (name: string): string => readLine(sys, 'class/dmi/id', name);
  const pci = readPciDevices(sys);
  return create(AgentAttributesSchema, {
    cpu: readCpu(readLine(root, 'proc/cpuinfo')),
    memory: readMemory(root, sys),
    block: [...readBlockDevices(sys)],
    network: [...readNetworkInterfaces(sys)],
    pci: [...pci],
    gpu: pci
      .filter((device) => device.class.startsWith(PCI_CLASS_DISPLAY))
      .map(({ vendor, product, class: pciClass, driver }) =>
        create(GPUSchema, { vendor, product, class: pciClass, driver }),
      ),
    chassis: create(ChassisSchema, { serial: dmi('chassis_serial'), vendor: dmi('chassis_vendor') }),
    bios: create(BIOSSchema, {
      vendor: dmi('bios_vendor'),
      version: dmi('bios_version'),
      releaseDate: dmi('bios_date'),
    }),
    baseboard: create(BaseboardSchema, {
      vendor: dmi('board_vendor'),
      product: dmi('board_name'),
      version: dmi('board_version'),
      serialNumber: dmi('board_serial'),
    }),
    product: create(ProductSchema, {
      name: dmi('product_name'),
      vendor: dmi('sys_vendor'),
      serialNumber: dmi('product_serial'),
    }),
  });
}

/** Counts sockets, cores and threads by the `physical id` and `core id` of /proc/cpuinfo. */
export function readCpu(cpuinfo: string): CPU {
  const sockets = new Map<number, { cores: Set<string>; threads: number; fields: Map<string, string> }>();
  for (const block of cpuinfo.split('\n\n')) {
    const fields = new Map(
      block.split('\n').map((line): [string, string] => {
        const [key = '', ...value] = line.split(':');
        return [key.trim(), value.join(':').trim()];
      }),
    );
    if (!fields.has('processor')) continue;
    const id = Number(fields.get('physical id') ?? 0);
    const socket = sockets.get(id) ?? { cores: new Set<string>(), threads: 0, fields };
    socket.threads += 1;
    socket.cores.add(fields.get('core id') ?? fields.get('processor') ?? '');
    sockets.set(id, socket);
  }
  const processors = [...sockets].map(([id, socket]) =>
    create(ProcessorSchema, {
      id,
      cores: socket.cores.size,
      threads: socket.threads,
      vendor: socket.fields.get('vendor_id') ?? '',
      model: socket.fields.get('model name') ?? '',
      capabilities: (socket.fields.get('flags') ?? '').split(' ').filter(Boolean),
    }),
  );
  return create(CPUSchema, {
    totalCores: processors.reduce((sum, processor) => sum + processor.cores, 0),
    totalThreads: processors.reduce((sum, processor) => sum + processor.threads, 0),
    processors,
  });
}

function readMemory(root: string, sys: string): Memory {
  const kibibytes = Number(/^MemTotal:\s+(\d+) kB/m.exec(readLine(root, 'proc/meminfo'))?.[1] ?? 0);
  const blockBytes = Number.parseInt(readLine(sys, 'devices/system/memory/block_size_bytes') || '0', 16);
  const online = listNames(sys, 'devices/system/memory').filter(
    (name) => /^memory\d+$/.test(name) && readLine(sys, 'devices/system/memory', name, 'online') === '1',
  ).length;
  const usable = kibibytes * 1024;
  return create(MemorySchema, {
    total: sizeText(Math.max(online * blockBytes, usable)),
    usable: sizeText(usable),
  });
}

function readBlockDevices(sys: string): readonly Block[] {
  return listNames(sys, 'block').flatMap((name) => {
    const controllerType = controllerOf(name);
    if (controllerType === undefined) return [];
    const at = (...path: string[]): string => readLine(sys, 'block', name, ...path);
    const physical = at('queue/physical_block_size');
    return [
      create(BlockSchema, {
        name,
        controllerType,
        driveType: driveTypeOf(name, at('queue/rotational')),
        size: sizeText(Number(at('size')) * SECTOR_BYTES),
        physicalBlockSize: physical === '' ? '' : `${physical}B`,
        vendor: at('device/vendor'),
        model: at('device/model'),
        wwn: at('wwid') || at('device/wwid'),
        serialNumber: at('serial') || at('device/serial'),
      }),
    ];
  });
}

const CONTROLLERS: readonly (readonly [RegExp, string])[] = [
  [/^vd/, 'virtio'],
  [/^nvme/, 'NVMe'],
  [/^(sd|sr)/, 'SCSI'],
  [/^mmcblk/, 'MMC'],
  [/^hd/, 'IDE'],
];

/** Loop, RAM and mapped devices are not hardware. */
function controllerOf(name: string): string | undefined {
  return CONTROLLERS.find(([pattern]) => pattern.test(name))?.[1];
}

function driveTypeOf(name: string, rotational: string): string {
  if (name.startsWith('sr')) return 'ODD';
  return rotational === '1' ? 'HDD' : 'SSD';
}

/** Vendor, product and class are numbers, because the in-memory OS has no list of their names. */
function readPciDevices(sys: string): readonly PCI[] {
  return listNames(sys, 'bus/pci/devices').map((address) => {
    const at = (name: string): string => readLine(sys, 'bus/pci/devices', address, name);
    return create(PCISchema, {
      vendor: at('vendor'),
      product: at('device'),
      class: at('class'),
      driver: linkName(sys, 'bus/pci/devices', address, 'driver'),
    });
  });
}

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** Rounds up in the largest unit of 1024 with a value of at least 1: `3GB`. Empty for 0. */
export function sizeText(bytes: number): string {
  if (!(bytes > 0)) return '';
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), SIZE_UNITS.length - 1);
  return `${Math.ceil(bytes / 1024 ** power)}${SIZE_UNITS[power]}`;
}
