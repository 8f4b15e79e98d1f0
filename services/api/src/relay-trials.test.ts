import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTHENTICATED } from '@tinkerbell/access';
import type { MachineChecks } from './diagnosis.ts';
import type { RelayDesk } from './relay-trials.ts';
import { startedApi } from './testing/started-api.ts';

const rules = { deny: [], allow: [] };
const account = (name: string) => ({ name: `system:serviceaccount:lab:${name}`, groups: [AUTHENTICATED] });

async function apiWith(poll: RelayDesk['poll']) {
  const checks: MachineChecks = {
    checkNow: () => assert.fail('nobody asks'),
    hasAgent: () => false,
    neighboursOf: () => [],
    relaysOf: () => [],
    relays: { isConnected: () => true, poll },
  };
  const api = await startedApi(rules, { checks, isGuarded: true });
  const subject = { kind: 'ServiceAccount', namespace: 'lab', name: 'rack-7' };
  await api.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'rack-7' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'relay' },
    subjects: [subject],
  });
  return api;
}

test('a relay is known by the account of its token, and reads nothing else', async () => {
  const called: unknown[] = [];
  const order = { id: 'o1', host: '192.0.2.4', ports: [], addresses: [] };
  await using api = await apiWith((...[relay, body]) => {
    called.push([relay, body]);
    return Promise.resolve({ ok: true, orders: [order] });
  });
  api.as(account('rack-7'));
  const { code, body } = await api.call('POST', '/relay-trials', { networks: [] });
  assert.deepEqual([code, body], [200, { orders: [order] }]);
  assert.deepEqual(called, [[{ namespace: 'lab', name: 'rack-7' }, { networks: [] }]]);
  assert.equal((await api.call('GET', '/relay-trials')).code, 405);
  assert.equal((await api.call('GET', '/unknown-machines')).code, 403);
  api.as(account('rack-8'));
  assert.equal((await api.call('POST', '/relay-trials', {})).code, 403);
});

test('the credential of a person does not make a relay, whatever their role', async () => {
  await using api = await apiWith(() => assert.fail('no relay'));
  const { code, body } = await api.call('POST', '/relay-trials', {});
  assert.equal(code, 403);
  assert.match(body.message, /a relay needs a token of its own: tink token create NAME --role relay/);
});

test('what the desk refuses becomes a status that the relay logs', async () => {
  const kinds = ['invalid', 'taken', 'full'] as const;
  let at = 0;
  await using api = await apiWith(() =>
    Promise.resolve({ ok: false, kind: kinds[at++] ?? 'full', message: 'networks must be a list' }),
  );
  api.as(account('rack-7'));
  const codes: number[] = [];
  for (const _ of kinds) codes.push((await api.call('POST', '/relay-trials', {})).code);
  assert.deepEqual(codes, [400, 409, 429]);
});
