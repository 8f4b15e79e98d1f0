import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTRIBUTES_ANNOTATION } from '@tinkerbell/enrollment';
import type { Hardware } from '@tinkerbell/resources';
import { inventorySection } from './describe-inventory.ts';

const hardware = (text?: string): Hardware => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: {
    name: 'm1',
    namespace: 'default',
    ...(text === undefined ? {} : { annotations: { [ATTRIBUTES_ANNOTATION]: text } }),
  },
});

test('shows the hardware of the machine', () => {
  const attributes = {
    cpu: { totalCores: 8, totalThreads: 16, processors: [{ vendor: 'Intel', model: 'Xeon' }] },
    memory: { total: '64GB', usable: '63GB' },
    blockDevices: [{ name: 'sda', size: '480GB', model: 'SSD', serialNumber: 'S1' }, { name: 'sdb' }],
    networkInterfaces: [{ name: 'eno1', mac: '00:14:22:00:00:01', speed: '10Gb/s' }],
    product: { name: 'PowerEdge', vendor: 'Dell', serialNumber: 'ABC' },
  };
  assert.equal(
    inventorySection(hardware(JSON.stringify(attributes))),
    [
      '\nInventory:',
      '  Product:    Dell PowerEdge (serialNumber ABC)',
      '  Processor:  Intel Xeon, 8 cores, 16 threads',
      '  Memory:     64GB',
      '  Disk:       sda 480GB SSD (serialNumber S1)',
      '  Disk:       sdb',
      '  Network:    eno1 00:14:22:00:00:01 10Gb/s',
      '',
    ].join('\n'),
  );
});

test('is omitted for an invalid inventory, and is bounded', () => {
  for (const text of [undefined, '', '[]', '{"cpu": 1, "blockDevices": {}}', '{'])
    assert.equal(inventorySection(hardware(text)), '');
  const many = { blockDevices: Array.from({ length: 500 }, (_, index) => ({ name: `d${index}` })) };
  const lines = inventorySection(hardware(JSON.stringify(many))).split('\n');
  assert.equal(lines.at(-2), '  Disk:  … and 468 more');
});
