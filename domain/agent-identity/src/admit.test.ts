import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { bytesToHex, mac } from '@tinkerbell/wire';
import { admit, checkToken, type AgentAuthMode, type SessionLife } from './admit.ts';
import { leaseOf, recordIn, recordNameOf, type AgentRecord } from './agent-record.ts';
import { exchange } from './exchange.ts';
import { NO_WORKFLOW, type BootToken, type SessionToken } from './token.ts';

const NOW = 1_800_000_000;
const sessionId = new Uint8Array(16).fill(1);
const token: SessionToken = {
  purpose: 'session',
  mac: mac('02:00:5e:10:00:01'),
  expiresSeconds: NOW + 100,
  workflow: NO_WORKFLOW,
  sessionId,
  agentId: 'a',
};
const record: AgentRecord = {
  sessionId: bytesToHex(sessionId),
  agentId: 'a',
  expiresSeconds: NOW + 100,
  workflow: { namespace: 'default', name: 'w', uid: 'u' },
  nonces: {},
};

interface Asked {
  readonly presented?: SessionToken;
  readonly records?: readonly AgentRecord[];
  readonly life?: SessionLife;
  readonly purpose?: 'read' | 'report';
  readonly nowSeconds?: number;
}

function ask(
  mode: AgentAuthMode,
  { presented, records = [], life = 'live', purpose = 'read', nowSeconds = NOW }: Asked,
) {
  const admitted = admit({ mode, presented, records, lifeOf: () => life, nowSeconds, purpose });
  return admitted.ok ? 'admitted' : admitted.refusal.reason;
}

const newer = { ...record, sessionId: 'other' };
const table: readonly (readonly [asked: Asked, off: string, optional: string, required: string])[] = [
  [{}, 'admitted', 'admitted', 'no-token'],
  [{ records: [record] }, 'admitted', 'no-token', 'no-token'],
  [{ records: [record], nowSeconds: NOW + 100 }, 'admitted', 'admitted', 'no-token'],
  [{ records: [record], life: 'finished' }, 'admitted', 'admitted', 'no-token'],
  [{ records: [record], life: 'ended' }, 'admitted', 'admitted', 'no-token'],
  [{ presented: token, records: [record] }, 'admitted', 'admitted', 'admitted'],
  [{ presented: token, records: [] }, 'admitted', 'fenced', 'fenced'],
  [{ presented: token, records: [newer] }, 'admitted', 'fenced', 'fenced'],
  [{ presented: token, records: [record], life: 'finished' }, 'admitted', 'ended', 'ended'],
  [
    { presented: token, records: [record], life: 'finished', purpose: 'report' },
    'admitted',
    'admitted',
    'admitted',
  ],
  [{ presented: token, records: [record], life: 'ended', purpose: 'report' }, 'admitted', 'ended', 'ended'],
];

for (const [index, [asked, ...expected]] of table.entries())
  for (const [at, mode] of (['off', 'optional', 'required'] as const).entries())
    test(`row ${index}, ${mode}: ${expected[at]}`, () => assert.equal(ask(mode, asked), expected[at]));

test('a token contains its expiry and its machine', () => {
  assert.equal(checkToken(token, { agentId: 'a', nowSeconds: NOW }), undefined);
  assert.equal(checkToken(token, { agentId: 'a', nowSeconds: NOW + 100 })?.reason, 'expired');
  assert.equal(checkToken(token, { agentId: 'b', nowSeconds: NOW })?.reason, 'another-machine');
});

const boot = (nonce: number): BootToken => ({
  purpose: 'boot',
  mac: token.mac,
  expiresSeconds: NOW + 900,
  workflow: NO_WORKFLOW,
  nonce: new Uint8Array(8).fill(nonce),
});
const swap = (before: AgentRecord | undefined, bootToken: BootToken, id = 's', nowSeconds = NOW) =>
  exchange({
    record: before,
    token: bootToken,
    nowSeconds,
    session: { id, agentId: 'a', expiresSeconds: NOW + 1000, workflow: undefined },
  });

test('a boot token can be used once, until it expires, and a newer session replaces the older one', () => {
  const first = swap(undefined, boot(1), 's1');
  assert.ok('record' in first);
  assert.equal(first.record.sessionId, 's1');
  const again = swap(first.record, boot(1), 's2');
  assert.ok('refusal' in again && again.refusal.reason === 'replayed');
  const late = swap(undefined, boot(1), 's2', NOW + 900);
  assert.ok('refusal' in late && late.refusal.reason === 'expired');
  const second = swap(first.record, boot(2), 's2');
  assert.ok('record' in second);
  assert.equal(second.record.sessionId, 's2');
  const older = swap(second.record, boot(1), 's3');
  assert.ok('refusal' in older && older.refusal.reason === 'replayed');
});

test('nonces are forgotten with their tokens, and never too early', () => {
  let before: AgentRecord | undefined;
  for (let nonce = 0; nonce < 256; nonce++) {
    const swapped = swap(before, { ...boot(nonce), nonce: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, nonce) });
    assert.ok('record' in swapped);
    before = swapped.record;
  }
  assert.ok('refusal' in swap(before, boot(7)));
  const later = swap(before, { ...boot(7), expiresSeconds: NOW + 2000 }, 's', NOW + 900);
  assert.ok('record' in later);
  assert.equal(Object.keys(later.record.nonces).length, 1);
});

test('a record survives its Lease', () => {
  const hardware: Hardware = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'h', namespace: 'lab', uid: 'hu' },
    spec: { interfaces: [{ dhcp: { mac: '02:00:5E:10:00:01' } }] },
  };
  const kept = { ...record, nonces: { aa: NOW + 900 } };
  const creation = { hardware, uid: 'lu', nowMs: NOW * 1000 };
  const lease = leaseOf(kept, undefined, creation);
  assert.deepEqual(recordIn(lease), kept);
  assert.equal(lease.metadata.name, 'agent-02-00-5e-10-00-01');
  assert.equal(recordNameOf(hardware), lease.metadata.name);
  assert.equal(lease.metadata.namespace, 'lab');
  assert.deepEqual(
    lease.metadata.ownerReferences?.map(({ kind, uid }) => `${kind} ${uid}`),
    ['Hardware hu'],
  );
  const changed = leaseOf(newer, { ...lease, metadata: { ...lease.metadata, labels: { x: 'y' } } }, creation);
  assert.deepEqual(recordIn(changed), newer);
  assert.deepEqual(changed.metadata.labels, { x: 'y' });
  assert.equal(recordIn(undefined), undefined);
  assert.equal(recordIn({ ...lease, metadata: { ...lease.metadata, annotations: {} } }), undefined);
});
