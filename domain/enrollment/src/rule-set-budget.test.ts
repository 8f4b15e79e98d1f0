import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowRuleSet } from '@tinkerbell/resources';
import { matchRuleSets } from './rule-sets.ts';

function set(name: string, rules: readonly string[]): WorkflowRuleSet {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'WorkflowRuleSet',
    metadata: { name, namespace: 'lab' },
    spec: { rules },
  } as unknown as WorkflowRuleSet;
}

test('slow rules are abandoned, and other sets are still evaluated', () => {
  const serial = 'a'.repeat(4000);
  const attributes = {
    product: { serialNumber: serial },
    blockDevices: Array.from({ length: 500 }, () => ({ name: serial })),
  };
  const slow = JSON.stringify({ product: { serialNumber: [{ regexp: `${'(a?)'.repeat(400)}b` }] } });
  const wide = JSON.stringify({ blockDevices: { name: [{ wildcard: '*a*a*b' }] } });
  const good = JSON.stringify({ product: { serialNumber: [{ prefix: 'aa' }] } });
  const before = process.cpuUsage();
  const sets = [
    set(
      'a',
      Array.from({ length: 100 }, () => slow),
    ),
    set('b', [wide, wide, good]),
    set('c', [good]),
  ];
  const { winner, results } = matchRuleSets(sets, attributes);
  const { user } = process.cpuUsage(before);
  assert.equal(winner?.metadata.name, 'c');
  assert.deepEqual(
    results.map(({ invalid }) => invalid.length > 0),
    [true, true, false],
  );
  assert.equal(results[0]?.invalid[0]?.message, 'takes too long to match');
  assert.ok(user < 2_000_000, `${user} microseconds`);
});
