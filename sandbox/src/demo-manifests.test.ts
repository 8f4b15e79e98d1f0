import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadDemoManifests } from './demo-manifests.ts';

test('counts names, MACs and addresses up from the example', async () => {
  const { machines, template } = await loadDemoManifests(2, 'uefi');
  assert.equal(template.kind, 'Template');
  assert.deepEqual(
    machines.map(({ name, mac }) => `${name} ${mac}`),
    ['machine-1 08:00:27:9e:f5:3a', 'machine-2 08:00:27:9e:f5:3b'],
  );
  const text = JSON.stringify(machines[1]);
  for (const own of ['192.168.56.44', 'machine-2-debian', '"uefi":true']) assert.ok(text.includes(own), own);
  for (const other of ['machine-1', '192.168.56.43', 'f5:3a']) assert.ok(!text.includes(other), other);
});
