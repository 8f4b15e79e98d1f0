/** The parts of the simulated machine: an example of each schema that an inventory reads. */
type Fields = Readonly<Record<string, unknown>>;

const ROOT = '/redfish/v1';
const MANAGER = `${ROOT}/Managers/bmc`;
const ok = { State: 'Enabled', Health: 'OK' };
const link = (path: string) => ({ '@odata.id': path });

/** By path. Arrays are the members of collections. */
export function partsOf(system: string): Readonly<Record<string, () => Fields | readonly string[]>> {
  const chassis = `${ROOT}/Chassis/1`;
  const constants: Readonly<Record<string, Fields | readonly string[]>> = {
    ...computeParts(system),
    ...storageParts(system),
    ...chassisParts(chassis),
    [`${MANAGER}/EthernetInterfaces`]: [`${MANAGER}/EthernetInterfaces/eth0`],
    [`${MANAGER}/EthernetInterfaces/eth0`]: {
      Id: 'eth0',
      Name: 'Manager Ethernet',
      MACAddress: '52:54:00:00:00:02',
      SpeedMbps: 1000,
      MTUSize: 1500,
      LinkStatus: 'LinkUp',
    },
    [`${system}/EthernetInterfaces`]: [`${system}/EthernetInterfaces/1`],
    [`${system}/EthernetInterfaces/1`]: {
      Id: '1',
      Name: 'Ethernet',
      MACAddress: '52:54:00:00:00:01',
      Status: ok,
    },
  };
  return Object.fromEntries(Object.entries(constants).map(([path, fields]) => [path, () => fields]));
}

function computeParts(system: string): Readonly<Record<string, Fields | readonly string[]>> {
  const processor = (number: number): Fields => ({
    Id: `CPU${number}`,
    Name: 'Processor',
    Socket: `CPU.Socket.${number}`,
    ProcessorType: 'CPU',
    Manufacturer: 'Intel',
    Model: 'Xeon 6',
    MaxSpeedMHz: 3600,
    OperatingSpeedMHz: 2400,
    TotalCores: 16,
    TotalThreads: 32,
    Status: ok,
  });
  const gpu = { Id: 'GPU1', ProcessorType: 'GPU', Manufacturer: 'NVIDIA', Model: 'H100', Status: ok };
  return {
    [`${system}/Processors`]: ['CPU1', 'CPU2', 'GPU1'].map((id) => `${system}/Processors/${id}`),
    [`${system}/Processors/CPU1`]: processor(1),
    [`${system}/Processors/CPU2`]: processor(2),
    [`${system}/Processors/GPU1`]: gpu,
    [`${system}/Memory`]: [`${system}/Memory/A1`, `${system}/Memory/A2`],
    [`${system}/Memory/A1`]: {
      Id: 'A1',
      Name: 'DIMM A1',
      DeviceLocator: 'DIMM.A1',
      CapacityMiB: 32_768,
      OperatingSpeedMhz: 4800,
      BaseModuleType: 'RDIMM',
      MemoryDeviceType: 'DDR5',
      Manufacturer: 'Micron',
      PartNumber: 'MTC20',
      SerialNumber: 'M-1   ',
      Status: ok,
    },
    [`${system}/Memory/A2`]: { Id: 'A2', Name: 'DIMM A2', Status: { State: 'Absent' } },
  };
}

function storageParts(system: string): Readonly<Record<string, Fields | readonly string[]>> {
  const storage = `${system}/Storage/RAID.1`;
  return {
    [`${system}/Storage`]: [storage],
    [storage]: {
      Id: 'RAID.1',
      Name: 'Controller',
      StorageControllers: [
        {
          ...link(`${storage}#/StorageControllers/0`),
          MemberId: '0',
          Name: 'PERC H965i',
          Manufacturer: 'Broadcom',
          Model: 'PERC H965i Front',
          FirmwareVersion: '8.0',
          SerialNumber: 'C-1',
          Status: ok,
        },
      ],
      Drives: [link(`${storage}/Drives/1`)],
    },
    [`${storage}/Drives/1`]: {
      Id: '1',
      Name: 'Disk 1',
      Manufacturer: 'Samsung',
      Model: 'PM1743',
      SerialNumber: 'D-1',
      Revision: 'EDA5',
      CapacityBytes: 960_197_124_096,
      BlockSizeBytes: 512,
      MediaType: 'SSD',
      Protocol: 'NVMe',
      FailurePredicted: false,
      Identifiers: [{ DurableName: '36-34-47-30-57-70-00-25', DurableNameFormat: 'EUI' }],
      Status: ok,
    },
  };
}

function chassisParts(chassis: string): Readonly<Record<string, Fields | readonly string[]>> {
  const adapter = `${chassis}/NetworkAdapters/NIC.1`;
  return {
    [`${ROOT}/Chassis`]: [chassis],
    [chassis]: {
      Id: '1',
      Name: 'Chassis',
      ChassisType: 'RackMount',
      Manufacturer: 'Tinkerbell',
      Model: 'Box 2U',
      SerialNumber: 'CH-1',
      Power: link(`${chassis}/Power`),
      NetworkAdapters: link(`${chassis}/NetworkAdapters`),
    },
    [`${chassis}/Power`]: {
      Id: 'Power',
      Name: 'Power',
      PowerSupplies: [
        {
          ...link(`${chassis}/Power#/PowerSupplies/0`),
          MemberId: '0',
          Name: 'PSU 1',
          Manufacturer: 'Delta',
          Model: 'DPS-1400',
          SerialNumber: 'P-1',
          FirmwareVersion: '00.1B',
          PowerCapacityWatts: 1400,
          Status: ok,
        },
      ],
    },
    [`${chassis}/NetworkAdapters`]: [adapter],
    [adapter]: {
      Id: 'NIC.1',
      Name: 'Adapter',
      Manufacturer: 'Mellanox',
      Model: 'ConnectX-6',
      SerialNumber: 'N-1',
      Controllers: [{ FirmwarePackageVersion: '26.38' }],
      Ports: link(`${adapter}/Ports`),
    },
    [`${adapter}/Ports`]: [`${adapter}/Ports/NIC.1-1`],
    [`${adapter}/Ports/NIC.1-1`]: {
      Id: 'NIC.1-1',
      Name: 'Port 1',
      LinkStatus: 'LinkUp',
      CurrentSpeedGbps: 25,
      Ethernet: { AssociatedMACAddresses: ['52:54:00:00:00:01'] },
    },
  };
}
