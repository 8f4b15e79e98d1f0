import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { MACHINES, objectsOf, type MachineObjects, type PlannedMachine } from './plan.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

function planned(machine: PlannedMachine): MachineObjects {
  const read = (name: string) => readFileSync(join(EXAMPLES, machine.example, `${name}.yaml`), 'utf8');
  const texts = { hardware: read('hardware'), workflow: read('workflow') };
  return objectsOf(machine, texts, { kernel_checksum: 'sha256:00' });
}

const addressOf = ({ hardware }: MachineObjects): string =>
  (hardware as unknown as Hardware).spec?.interfaces?.[0]?.dhcp?.ip?.address ?? '';

test('the objects of all machines fit together', () => {
  const all = MACHINES.map(planned);
  for (const [index, { hardware, workflow }] of all.entries()) {
    const machine = MACHINES[index];
    assert.equal(hardware.metadata.name, machine?.name);
    assert.equal(workflow.metadata.name, machine?.workflow);
    const text = JSON.stringify([hardware, workflow]);
    assert.ok(text.includes(machine?.mac ?? '-'), text);
    assert.ok(!/machine-\d|nvme|\/dev\/sda|factory\.talos/.test(text), text);
  }
  assert.deepEqual(all.map(addressOf), [
    '192.168.56.65',
    '10.10.20.49',
    '10.10.20.60',
    '10.10.20.62',
    '10.10.20.63',
  ]);
});

test('nodes join the address that the first one creates', () => {
  const [, , create, ...join] = MACHINES.map((machine) => JSON.stringify(planned(machine).hardware));
  assert.match(create ?? '', /mode: create.*vip: 10\.10\.20\.70/);
  for (const text of join) assert.match(text, /server_url: https:\/\/10\.10\.20\.70:443.*mode: join/);
});

test('an example that lost what an edit replaces is named', () => {
  const [router] = MACHINES;
  assert.ok(router !== undefined);
  assert.throws(
    () => objectsOf(router, { hardware: 'a: 1', workflow: 'b: 2' }, {}),
    /examples\/vyos has no "machine-23": correct the plan of Genesis/,
  );
});
