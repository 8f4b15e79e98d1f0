import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import {
  IMAGES_PORT,
  MACHINES,
  objectsOf,
  PLATFORM_ADDRESS,
  ROUTER_ADDRESS,
  SEED_ADDRESS,
  STACK_ADDRESS,
  STAND_IN_IMAGES,
  type MachineObjects,
  type PlannedMachine,
} from './plan.ts';

const FOLDER = join(import.meta.dirname, '../../../examples/genesis');
const read = (name: string) => readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
const texts = { hardware: read('hardware'), workflow: read('workflow') };

function planned(machine: PlannedMachine): MachineObjects {
  return objectsOf(machine, texts, { kernel_checksum: 'sha256:00' });
}

const addressOf = ({ hardware }: MachineObjects): string =>
  (hardware as unknown as Hardware).spec?.interfaces?.[0]?.dhcp?.ip?.address ?? '';

test('the objects of all machines fit together, and the addresses of the run are those of the files', () => {
  const all = MACHINES.map(planned);
  assert.deepEqual(
    all.map(({ hardware }) => hardware.metadata.name),
    MACHINES.map(({ name }) => name),
  );
  assert.equal(new Set(all.map(({ mac }) => mac)).size, MACHINES.length);
  assert.deepEqual(all.map(addressOf), [
    ROUTER_ADDRESS,
    PLATFORM_ADDRESS,
    '10.10.20.60',
    '10.10.20.62',
    '10.10.20.63',
  ]);
  assert.match(texts.hardware, new RegExp(`dhcp-relay server '${STACK_ADDRESS}'`));
  for (const name of STAND_IN_IMAGES)
    assert.ok(texts.workflow.includes(`http://${SEED_ADDRESS}:${IMAGES_PORT}/images/${name}`), name);
});

test('only nodes get the checksums of the installer', () => {
  const have = MACHINES.filter((machine) => JSON.stringify(planned(machine)).includes('"sha256:00"'));
  assert.deepEqual(
    have.map(({ name }) => name),
    ['node-1', 'node-2', 'node-3'],
  );
});

test('nodes join the address that the first one creates', () => {
  const [, , create, ...join] = MACHINES.map((machine) => JSON.stringify(planned(machine).hardware));
  assert.match(create ?? '', /mode: create.*vip: 10\.10\.20\.70/);
  for (const text of join) assert.match(text, /server_url: https:\/\/10\.10\.20\.70:443.*mode: join/);
});

test('files without a machine, or that are not YAML, are named', () => {
  const [router] = MACHINES;
  assert.ok(router !== undefined);
  assert.throws(
    () => objectsOf(router, { ...texts, hardware: 'metadata: { name: other }' }, {}),
    /examples\/genesis\/hardware\.yaml has no Hardware router/,
  );
  assert.throws(
    () => objectsOf(router, { ...texts, workflow: 'spec: { hardwareRef: other }' }, {}),
    /examples\/genesis\/workflow\.yaml has no Workflow with the hardwareRef router/,
  );
  assert.throws(() => objectsOf(router, { ...texts, workflow: 'a: [' }, {}), /^Error: workflow\.yaml:1: /);
});
