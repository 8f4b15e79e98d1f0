import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Hardware, Workflow } from '../kinds.ts';
import { claimsOf, mayRunOn, ownerAmong, USE_HARDWARE } from './ownership.ts';

function hardware(
  namespace: string,
  name: string,
  creationTimestamp: string,
  mac = '52:54:00:00:00:01',
): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { namespace, name, creationTimestamp },
    spec: { agentID: 'a', interfaces: [{ dhcp: { mac, ip: { address: '10.0.0.1' } } }] },
  };
}

function workflow(namespace: string, uses?: string): Workflow {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: {
      namespace,
      name: 'w',
      ...(uses === undefined ? {} : { annotations: { [USE_HARDWARE]: uses } }),
    },
  };
}

test('the Hardware that was created first is the owner, in whatever order they are found', () => {
  const [first, second, third] = [
    hardware('lab', 'b', '2026-01-01T00:00:00Z'),
    hardware('default', 'a', '2026-01-01T00:00:01Z'),
    hardware('lab', 'c', '2026-01-01T00:00:00Z'),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray([first, second, third], { minLength: 3 }), (claimants) => {
      assert.equal(ownerAmong(claimants), first);
    }),
  );
  assert.equal(ownerAmong([]), undefined);
});

test('a Hardware claims its MACs in lower case, its addresses and its agent id, each with its field', () => {
  const claims = claimsOf(hardware('lab', 'a', '', '52:54:00:00:00:0A'));
  assert.deepEqual(
    claims.map(({ kind, value, path }) => `${kind} ${value} ${path.join('.')}`),
    [
      'mac 52:54:00:00:00:0a spec.interfaces.0.dhcp.mac',
      'address 10.0.0.1 spec.interfaces.0.dhcp.ip.address',
      'agent a spec.agentID',
    ],
  );
});

test('a Workflow runs on machines of its own namespace, and on those that it names as used', () => {
  const machine = hardware('default', 'm1', '');
  assert.equal(mayRunOn(workflow('default'), machine), true);
  assert.equal(mayRunOn(workflow('lab'), machine), false);
  assert.equal(mayRunOn(workflow('lab', 'default/m2, default/m1'), machine), true);
  for (const uses of ['', 'default', 'default/m', 'default/m11', 'm1', 'lab/m1', 'default/m1/x'])
    assert.equal(mayRunOn(workflow('lab', uses), machine), false, uses);
});
