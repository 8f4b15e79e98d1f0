import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTHENTICATED } from '@tinkerbell/access';
import { Verdicts } from '@tinkerbell/diagnosis';
import type { MachineChecks } from './diagnosis.ts';
import { base, startedApi } from './testing/started-api.ts';

const rules = { deny: [], allow: [] };
const hardware = (name: string, conditions: readonly object[] = []) => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name },
  spec: {},
  status: { conditions },
});

function checksThat(checkNow: MachineChecks['checkNow'], agents: readonly string[] = []): MachineChecks {
  return {
    relaysOf: () => ['r1'],
    relays: {
      isConnected: (name) => name === 'r1',
      poll: () => assert.fail('no relay calls'),
    },
    checkNow,
    hasAgent: ({ metadata }) => agents.includes(metadata.name),
    neighboursOf: () => agents,
  };
}

test('the diagnosis is the current verdict of the doctor', async () => {
  const verdicts = new Verdicts();
  await using api = await startedApi(rules, { verdicts });
  await api.call('POST', `${base}/hardware`, hardware('m1'));
  const path = `${base}/hardware/m1/diagnosis`;
  const { code, body } = await api.call('GET', path);
  assert.deepEqual([code, body.reason], [404, 'NotFound']);
  assert.match(body.message, /default\/m1 has no diagnosis yet; the doctor starts with --enable-doctor/);
  verdicts.set('default/m1', {
    state: 'stopped',
    cause: 'tftp-blocked',
    certainty: 'likely',
    text: 'It stands still.',
    evidence: [{ atMs: 0, text: 'acknowledge' }],
    advice: ['Let UDP port 69 through.'],
    sinceMs: 1000,
  });
  assert.deepEqual((await api.call('GET', path)).body, {
    namespace: 'default',
    machine: 'm1',
    state: 'stopped',
    cause: 'tftp-blocked',
    certainty: 'likely',
    text: 'It stands still.',
    evidence: [{ time: '1970-01-01T00:00:00.000Z', text: 'acknowledge' }],
    advice: ['Let UDP port 69 through.'],
    since: '1970-01-01T00:00:01.000Z',
  });
  assert.equal((await api.call('PUT', path, {})).code, 405);
  assert.equal((await api.call('GET', `${base}/hardware/m2/diagnosis`)).code, 404);
});

test('active checks need the permission to create, and are refused while too many run', async () => {
  let isFull = false;
  const check = { check: 'bmc', state: 'warning', message: 'the power is off' } as const;
  const checks = checksThat(() => (isFull ? undefined : Promise.resolve([check])));
  await using api = await startedApi(rules, { checks, isGuarded: true });
  await api.call('POST', `${base}/hardware`, hardware('m1'));
  const path = `${base}/hardware/m1/diagnosis`;
  assert.deepEqual((await api.call('POST', path)).body, {
    namespace: 'default',
    machine: 'm1',
    checks: [check],
  });
  assert.equal((await api.call('POST', `${base}/hardware/m2/diagnosis`)).code, 404);
  isFull = true;
  const { code, body } = await api.call('POST', path);
  assert.deepEqual([code, body.details.retryAfterSeconds], [429, 5]);
  const rule = {
    apiGroups: ['tinkerbell.org'],
    resources: ['hardware', 'hardware/*'],
    verbs: ['get', 'update'],
  };
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await api.call('POST', `${rbac}/clusterroles`, { metadata: { name: 'reader' }, rules: [rule] });
  await api.call('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'ann' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
  });
  api.as({ name: 'ann', groups: [AUTHENTICATED] });
  assert.equal((await api.call('GET', `${base}/hardware/m1`)).code, 200);
  assert.equal((await api.call('POST', path)).code, 403);
});

test('checks are asked for from the agent of a neighbour and from a relay, if they are connected', async () => {
  const asked: (string | undefined)[] = [];
  const checkNow: MachineChecks['checkNow'] = (_, from) => {
    asked.push(from !== undefined && 'relay' in from ? `relay ${from.relay}` : from?.neighbour.metadata.name);
    return Promise.resolve([]);
  };
  const verdicts = new Verdicts();
  verdicts.set('default/m1', { state: 'unseen', text: 'x', evidence: [], advice: [] });
  await using api = await startedApi(rules, { verdicts, checks: checksThat(checkNow, ['m2']) });
  for (const name of ['m1', 'm2', 'm3']) await api.call('POST', `${base}/hardware`, hardware(name));
  const path = `${base}/hardware/m1/diagnosis`;
  const codeFrom = async (from: string) => (await api.call('POST', `${path}?from=${from}`)).code;
  assert.deepEqual(
    [
      await codeFrom('server'),
      await codeFrom('agent:m2'),
      await codeFrom('agent:m9'),
      await codeFrom('relay:r1'),
    ],
    [200, 200, 404, 200],
  );
  assert.deepEqual(asked, [undefined, 'm2', 'relay r1']);
  const offline = await api.call('POST', `${path}?from=agent:m3`);
  assert.equal(offline.code, 409);
  assert.match(offline.body.message, /no agent of m3 is connected .* while m3 runs the in-memory OS/);
  const lost = await api.call('POST', `${path}?from=relay:r2`);
  assert.equal(lost.code, 409);
  assert.match(lost.body.message, /no relay "r2" is connected .* start it with --relay-api-url/);
  const unknown = await api.call('POST', `${path}?from=switch:r1`);
  assert.equal(unknown.code, 400);
  assert.match(unknown.body.message, /from must be "server", "agent:NAME" .* not "switch:r1"/);
  const { body } = await api.call('GET', `${path}?neighbours=true`);
  assert.deepEqual([body.neighbours, body.relays], [['m2'], ['r1']]);
  assert.equal((await api.call('GET', path)).body.neighbours, undefined);
});

test('a server without a doctor has no active checks', async () => {
  await using api = await startedApi(rules);
  await api.call('POST', `${base}/hardware`, hardware('m1'));
  const { code, body } = await api.call('POST', `${base}/hardware/m1/diagnosis`);
  assert.equal(code, 404);
  assert.match(body.message, /no active checks; start it with --enable-doctor/);
});

test('a server that does not check the machine answers with what was reported', async () => {
  await using api = await startedApi(rules);
  const time = '2026-01-02T03:04:05Z';
  const condition = { type: 'BootHealthy', lastTransitionTime: time, message: 'text' };
  const stopped = { ...condition, status: 'False', reason: 'TftpBlocked' };
  await api.call('POST', `${base}/hardware`, hardware('m1'));
  const merge = { 'content-type': 'application/merge-patch+json' };
  await api.call('PATCH', `${base}/hardware/m1/status`, { status: { conditions: [stopped] } }, merge);
  const { body } = await api.call('GET', `${base}/hardware/m1/diagnosis`);
  assert.deepEqual(
    [body.state, body.cause, body.text, body.since],
    ['stopped', 'tftp-blocked', 'text', time],
  );
});
