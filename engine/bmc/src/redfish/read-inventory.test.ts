import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RedfishFeatures, RedfishLies } from '@tinkerbell/sandbox/bmc';
import { failureOf, redfishRack } from '../testing/redfish-rack.ts';

const status = { health: 'OK', state: 'Enabled' };

test('the inventory has the parts of the machine', async () => {
  await using rack = await redfishRack({ pageSize: 1 });
  const parts = await (await rack.open()).inventory?.();
  const socket = (number: number) => ({
    vendor: 'Intel',
    model: 'Xeon 6',
    clockSpeedMHz: 3600,
    cores: 16,
    threads: 32,
    slot: `CPU.Socket.${number}`,
  });
  assert.deepEqual(parts, {
    collectionMethod: 'redfish',
    bios: { firmwareVersion: '1.2.3' },
    blockDevices: [
      {
        vendor: 'Samsung',
        model: 'PM1743',
        serialNumber: 'D-1',
        firmwareVersion: 'EDA5',
        controllerType: 'NVMe',
        driveType: 'SSD',
        physicalBlockSizeBytes: 512,
        sizeBytes: 960_197_124_096,
        smartStatus: 'ok',
        status,
        wwn: '36-34-47-30-57-70-00-25',
      },
    ],
    bmc: {
      model: 'Simulated BMC',
      firmwareVersion: '2.14',
      status,
      nic: {
        ports: [
          { linkStatus: 'LinkUp', mac: '52:54:00:00:00:02', mtu: 1500, portID: 'eth0', speedMbps: 1000 },
        ],
      },
    },
    chassis: { vendor: 'Tinkerbell', model: 'Box 2U', serialNumber: 'CH-1' },
    cpu: { sockets: [socket(1), socket(2)], totalCores: 32, totalThreads: 64 },
    gpuDevices: [{ vendor: 'NVIDIA', model: 'H100', status }],
    memory: {
      modules: [
        {
          vendor: 'Micron',
          serialNumber: 'M-1',
          formFactor: 'RDIMM',
          partNumber: 'MTC20',
          sizeBytes: 34_359_738_368,
          slot: 'DIMM.A1',
          speedMHz: 4800,
        },
      ],
      totalBytes: 68_719_476_736,
    },
    networkInterfaces: [
      {
        vendor: 'Mellanox',
        model: 'ConnectX-6',
        serialNumber: 'N-1',
        firmwareVersion: '26.38',
        ports: [{ linkStatus: 'LinkUp', mac: '52:54:00:00:00:01', portID: 'NIC.1-1', speedMbps: 25_000 }],
      },
    ],
    product: { vendor: 'Tinkerbell', model: 'Sandbox', serialNumber: 'S-1', name: 'Sandbox', status },
    psus: [
      {
        vendor: 'Delta',
        model: 'DPS-1400',
        serialNumber: 'P-1',
        firmwareVersion: '00.1B',
        description: 'PSU 1',
        powerCapacityWatts: 1400,
        status,
      },
    ],
    storageControllers: [
      {
        vendor: 'Broadcom',
        model: 'PERC H965i Front',
        serialNumber: 'C-1',
        firmwareVersion: '8.0',
        description: 'PERC H965i',
        status,
      },
    ],
    tpms: [{ interfaceType: 'TPM2_0', firmwareVersion: '7.2', status: { state: 'Enabled' } }],
  });
});

test('collections are expanded where the service can', async () => {
  const read = async (features: RedfishFeatures, lies: RedfishLies = {}) => {
    await using rack = await redfishRack(features, lies);
    const session = await rack.open();
    const before = rack.service.requests.length;
    return { parts: await session.inventory?.(), requests: rack.service.requests.length - before };
  };
  const plain = await read({});
  const expanded = await read({ canExpand: true });
  assert.deepEqual(expanded.parts, plain.parts);
  assert.deepEqual([plain.requests, expanded.requests], [22, 12]);
  for (const lies of [{ refusesExpand: true }, { ignoresExpand: true }])
    assert.deepEqual((await read({ canExpand: true }, lies)).parts, plain.parts);
});

test('resources that the service lacks are left out', async () => {
  await using rack = await redfishRack({}, { missing: /Processors|Power|NetworkAdapters|Storage|Managers/ });
  const parts = await (await rack.open()).inventory?.();
  const names = ['bios', 'chassis', 'collectionMethod', 'memory', 'networkInterfaces', 'product', 'tpms'];
  assert.deepEqual(Object.keys(parts ?? {}).toSorted(), names);
  assert.deepEqual(parts?.networkInterfaces, [{ ports: [{ mac: '52:54:00:00:00:01', portID: '1' }] }]);
});

test('a session that ends in the middle is opened again, once', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  rack.service.lies.dropsSessionsAt = /Drives/;
  assert.equal((await session.inventory!()).blockDevices?.length, 1);
  rack.service.lies.dropsSessionsAt = /Drives/;
  assert.equal((await failureOf(session.inventory!())).code, 'session-lost');
});
