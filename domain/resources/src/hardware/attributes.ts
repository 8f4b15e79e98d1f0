/** The BMC's report about a machine's parts, as the inventory writes it into the status of a Hardware. */
import { Type, type Static } from '../schema.ts';
import { dateTime, int32, int64, optional } from '../schema-builders.ts';
import {
  component,
  componentStatus,
  firmwareVersion,
  model,
  partDescription as description,
  serialNumber,
  text,
  vendor,
} from './component.ts';
import { NetworkAdapter } from './network-adapter.ts';

const pciClass = text('PCI device class. Only an agent can report it.');
const driver = text('Kernel driver in use. Only an agent can report it.');

const blockDevice = Type.Object({
  ...component,
  controllerType: text('Type of the controller, for example `NVMe` or `SATA`.'),
  driveType: text('Type of the drive, for example `SSD` or `HDD`.'),
  name: text('Device name in the OS, for example `nvme0n1`. Only an agent can report it.'),
  physicalBlockSizeBytes: optional('Physical block size in bytes.', int64()),
  sizeBytes: optional('Capacity in bytes.', int64()),
  smartStatus: text('SMART health of the drive, for example `ok`.'),
  wwn: text('World Wide Name, unique to the drive.'),
});

const cpuSocket = Type.Object({
  capabilities: optional('CPU flags. Only an agent can report them.', Type.Array(Type.String())),
  clockSpeedMHz: optional('Clock speed in MHz.', int32()),
  cores: optional('Number of cores.', int32()),
  firmwareVersion,
  model,
  serialNumber,
  slot: text('Name of the socket, for example `CPU1`.'),
  threads: optional('Number of threads.', int32()),
  vendor,
});

const memoryModule = Type.Object({
  firmwareVersion,
  formFactor: text('Form factor, for example `RDIMM`.'),
  model,
  partNumber: text('Part number of the manufacturer.'),
  serialNumber,
  sizeBytes: optional('Capacity in bytes.', int64()),
  slot: text('Name of the slot, for example `DIMM.A1`.'),
  speedMHz: optional('Clock speed in MHz.', int32()),
  vendor,
});

const cpu = Type.Object({
  sockets: optional('Processors, one entry for each socket.', Type.Array(cpuSocket)),
  totalCores: optional('Cores of all processors.', int32()),
  totalThreads: optional('Threads of all processors.', int32()),
});

const memory = Type.Object({
  modules: optional('Memory modules, one entry for each module.', Type.Array(memoryModule)),
  totalBytes: optional('Installed memory in bytes.', int64()),
  usableBytes: optional('Memory that the OS can use, in bytes. Only an agent can report it.', int64()),
});

const pciDevice = Type.Object({ class: pciClass, driver, model, vendor });
const gpuDevice = Type.Object({ ...component, class: pciClass, description, driver });
const powerSupply = Type.Object({
  ...component,
  description,
  powerCapacityWatts: optional('Rated power in watts.', int64()),
});
const product = Type.Object({
  model,
  name: text('Product name of the machine.'),
  serialNumber,
  status: componentStatus,
  vendor,
});

export const OutOfBandAttributes = Type.Object({
  baseboard: optional('Mainboard.', Type.Object({ ...component, description })),
  bios: optional(
    'System firmware: BIOS or UEFI.',
    Type.Object({
      ...component,
      releaseDate: text('Release date as the firmware reports it, for example `12/13/2021`.'),
    }),
  ),
  blockDevices: optional('Disks and other drives.', Type.Array(blockDevice)),
  bmc: optional(
    'The BMC itself.',
    Type.Object({ ...component, nic: optional('Management network port of the BMC.', NetworkAdapter) }),
  ),
  chassis: optional('Enclosure of the machine.', Type.Object({ model, serialNumber, vendor })),
  collectionMethod: text('Driver that collected the attributes, for example `redfish` or `dell`.'),
  cpu: optional('Processors.', cpu),
  gpuDevices: optional('GPUs and accelerators.', Type.Array(gpuDevice)),
  lastUpdated: optional('When the attributes were last collected.', dateTime()),
  memory: optional('Memory, in total and by module.', memory),
  networkInterfaces: optional(
    'Network cards found in the machine. `spec.interfaces` holds their configuration.',
    Type.Array(NetworkAdapter),
  ),
  pciDevices: optional('PCI devices. Only an agent can report them.', Type.Array(pciDevice)),
  product: optional('Identity of the whole machine.', product),
  psus: optional('Power supplies.', Type.Array(powerSupply)),
  storageControllers: optional(
    'Storage controllers.',
    Type.Array(Type.Object({ ...component, description })),
  ),
  tpms: optional(
    'Trusted Platform Modules.',
    Type.Array(
      Type.Object({ ...component, interfaceType: text('Interface of the TPM, for example `TPM2_0`.') }),
    ),
  ),
});
export type OutOfBandAttributes = Static<typeof OutOfBandAttributes>;
