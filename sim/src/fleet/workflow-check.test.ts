import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipv4 } from '@tinkerbell/wire';
import { templateOf, workflowOf } from './fleet-objects.ts';
import { machinePlan } from './machine-plan.ts';
import { checkWorkflows } from './workflow-check.ts';

const site = { seed: 1, relayAddress: ipv4('198.18.0.1'), namespace: 'lab', actions: 2, crashes: 0 };
const plans = [0, 1, 2, 3].map((index) => machinePlan(index, site));
const atDisk = new Map(plans.map(({ name }) => [name, { kind: 'disk' } as const]));
const withState = (index: number, state: string) => {
  const plan = plans[index];
  assert.ok(plan);
  return { ...workflowOf(plan, site), status: { state } };
};

test('a machine that was sent to its disk before its Workflow had succeeded has failed', () => {
  const workflows = [withState(0, 'SUCCESS'), withState(1, 'RUNNING'), withState(2, '')];
  const { provisioned, failed } = checkWorkflows(plans, { workflows, outcomes: atDisk, failed: [] });
  assert.equal(provisioned, 1);
  assert.deepEqual(
    failed.map(({ name, step, workflow }) => [name, step, workflow]),
    [
      ['sim-1-1', 'workflow', 'RUNNING'],
      ['sim-1-2', 'workflow', 'not rendered'],
      ['sim-1-3', 'workflow', 'missing'],
    ],
  );
});

test('earlier failures stay first, with the state of their Workflow', () => {
  const first = { name: 'sim-1-3', mac: '02:00:01:00:00:03', step: 'agent', reason: 'not done after 1 s' };
  const outcomes = new Map([...atDisk].slice(0, 3));
  const workflows = [0, 1, 2].map((index) => withState(index, 'SUCCESS'));
  const checked = checkWorkflows(plans, {
    workflows: [...workflows, withState(3, 'FAILED')],
    outcomes,
    failed: [first],
  });
  assert.deepEqual(checked, { provisioned: 3, failed: [{ ...first, workflow: 'FAILED' }] });
});

test('the last action of the Template restarts the machine', () => {
  const names = [...(templateOf(site).spec?.data ?? '').matchAll(/- name: (\S+)\n {8}image/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(names, ['action-1', 'reboot']);
});
