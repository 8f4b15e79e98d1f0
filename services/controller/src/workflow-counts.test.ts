import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mac, startedController } from './testing/started-controller.ts';

const template = `version: "0.1"
name: t
global_timeout: 600
tasks:
  - name: t
    worker: "{{ .device_1 }}"
    actions:
      - { name: a, image: alpine, timeout: 60 }
`;

test('counts workflows by state, and each change of state once', async () => {
  await using controller = await startedController([
    ['Hardware', 'h', { spec: { interfaces: [{ dhcp: { mac } }] } }],
    ['Workflow', 'old', { spec: { templateRef: 't', hardwareRef: 'h' }, status: { state: 'SUCCESS' } }],
  ]);
  const { counters } = controller;
  assert.equal(counters()['workflows{state="SUCCESS"}'], 1);
  assert.equal(counters()['workflow_transitions_total{to="SUCCESS"}'], 0);
  await controller.put('Template', 't', { spec: { data: template } });
  await controller.put('Workflow', 'w', {
    spec: { templateRef: 't', hardwareRef: 'h', hardwareMap: { device_1: mac } },
  });
  await controller.until(({ state }) => state === 'PENDING');
  await controller.settled();
  assert.equal(counters()['workflows{state="NEW"}'], 0);
  assert.equal(counters()['workflow_transitions_total{to="NEW"}'], 1);
  assert.equal(counters()['workflow_transitions_total{to="PENDING"}'], 1);
  assert.equal(counters()['workflows{state="PENDING"}'], 1);
});
