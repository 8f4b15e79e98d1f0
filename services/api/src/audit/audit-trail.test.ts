/** Requests to the API and the records that they leave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTHENTICATED, type User } from '@tinkerbell/access';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { hardwareKind } from '@tinkerbell/resources';
import type { Journal } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createApiMetrics } from '../metrics.ts';
import { base, MASTER, startedApi } from '../testing/started-api.ts';
import { AuditTrail } from './audit-trail.ts';

const none = { deny: [], allow: [] };
const ann: User = { name: 'ann', groups: [AUTHENTICATED] };
const secrets = '/api/v1/namespaces/default/secrets';
const hardware = (name: string) => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name },
});
const applying = { 'content-type': 'application/apply-patch+yaml' };
const merging = { 'content-type': 'application/merge-patch+json' };

const read = (journal: Journal) => journal.read({ after: 0, events: ['write-answered'] });

interface Case {
  readonly as?: User;
  readonly asked: readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>];
  /** Of the record that it leaves; undefined when there is none. */
  readonly message: string | undefined;
}

const who = MASTER.name;
const named = `${base}/hardware/h`;
const cases: readonly Case[] = [
  {
    asked: ['POST', `${base}/hardware?dryRun=All`, hardware('h')],
    message: `${who} create hardware.tinkerbell.org default/h: 201 (dry run)`,
  },
  {
    asked: ['POST', `${base}/hardware?fieldManager=s3cret`, hardware('h')],
    message: `${who} create hardware.tinkerbell.org default/h: 201`,
  },
  {
    asked: ['POST', `${base}/hardware`, hardware('h')],
    message: `${who} create hardware.tinkerbell.org default: 409`,
  },
  {
    asked: ['PATCH', `${named}?fieldManager=x`, JSON.stringify(hardware('h')), applying],
    message: `${who} apply hardware.tinkerbell.org default/h: 200`,
  },
  {
    asked: ['PATCH', named, { metadata: { labels: { a: 'b' } } }, merging],
    message: `${who} patch hardware.tinkerbell.org default/h: 200`,
  },
  { asked: ['PUT', named, '{'], message: `${who} update hardware.tinkerbell.org default/h: 400` },
  { asked: ['GET', named], message: undefined },
  {
    asked: ['DELETE', named, { kind: 'DeleteOptions', dryRun: ['All'] }],
    message: `${who} delete hardware.tinkerbell.org default/h: 200 (dry run)`,
  },
  { as: ann, asked: ['DELETE', named], message: 'ann delete hardware.tinkerbell.org default/h: 403' },
  { asked: ['DELETE', named], message: `${who} delete hardware.tinkerbell.org default/h: 200` },
  {
    asked: ['DELETE', `${base}/hardware`],
    message: `${who} deletecollection hardware.tinkerbell.org default: 200`,
  },
  {
    asked: ['POST', `${base}/workflows/w/pause`, {}],
    message: `${who} create workflows.tinkerbell.org/pause default/w: 404`,
  },
  {
    as: ann,
    asked: ['POST', '/api/v1/namespaces/default/serviceaccounts/ci/token', {}],
    message: 'ann create serviceaccounts/token default/ci: 403',
  },
  {
    asked: [
      'POST',
      secrets,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 's3cret' } },
    ],
    message: `${who} create secrets default/s: 201`,
  },
  {
    asked: ['POST', secrets, '{"stringData": "s3cret"'],
    message: `${who} create secrets default: 400`,
  },
  { asked: ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}], message: undefined },
];

test('each write leaves one record, done or refused, and nothing from bodies and queries is in it', async () => {
  await using api = await startedApi(none, { isGuarded: true });
  const expected: string[] = [];
  for (const { as = MASTER, asked, message } of cases) {
    api.as(as);
    await api.call(...asked);
    if (message !== undefined) expected.push(message);
    const messages = (await read(api.journal)).map((record) => record.message);
    assert.deepEqual(messages, expected, asked.slice(0, 2).join(' '));
  }
  const records = await read(api.journal);
  assert.doesNotMatch(JSON.stringify(records), /s3cret/);
  assert.deepEqual(records.find(({ message }) => message.startsWith('ann delete'))?.details, {
    user: 'ann',
    verb: 'delete',
    group: 'tinkerbell.org',
    resource: 'hardware',
    namespace: 'default',
    name: 'h',
    peer: '127.0.0.1',
    code: 403,
  });
  assert.ok(records.every(({ source }) => source === 'audit'));
  assert.ok((await api.journal.read({ after: 0 })).every(({ source }) => source !== 'audit'));
});

test('the audit is read by who may get its path, and is followed', async () => {
  await using api = await startedApi(none, { isGuarded: true });
  await api.call('POST', `${base}/hardware`, hardware('h1'));
  api.as(ann);
  assert.equal((await api.call('GET', '/audit')).code, 403);
  api.as(MASTER);
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = [{ verbs: ['get'], nonResourceURLs: ['/audit'] }];
  const metadata = { name: 'auditor' };
  await api.call('POST', `${rbac}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata, rules });
  await api.call('POST', `${rbac}/clusterrolebindings`, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'auditor' },
    subjects: [{ apiGroup, kind: 'User', name: 'ann' }],
  });
  api.as(ann);
  const lines = async (path: string) => (await (await api.raw('GET', path)).text()).split('\n').slice(0, -1);
  // Its own refusal is none: to read is no write.
  assert.equal((await lines('/audit')).length, 3);
  assert.deepEqual(await lines('/audit?user=bob'), []);
  assert.equal((await api.call('GET', '/audit?after=x')).code, 400);
  assert.equal((await api.call('POST', '/audit', {})).code, 405);
  const first = JSON.parse((await lines('/audit'))[0] ?? '') as { sequence: number };
  assert.equal((await lines(`/audit?after=${first.sequence}`)).length, 2);
  const reader = (await api.raw('GET', '/audit?watch=true&user=ann')).body?.getReader();
  await api.call('DELETE', `${base}/hardware/h1`);
  const chunk = new TextDecoder().decode((await reader?.read())?.value);
  assert.match(chunk, /"message":"ann delete hardware\.tinkerbell\.org default\/h1: 403"/);
  await reader?.cancel();
});

test('refusals of one user are bounded, and those without a record are counted', async () => {
  const log = createNodeLog({ level: 'silent', format: 'json' });
  let seconds: (() => void)[] = [];
  const clock = {
    ...nodeClock,
    schedule(_delayMs: number, task: () => void) {
      seconds.push(task);
      return () => (seconds = seconds.filter((one) => one !== task));
    },
  };
  await using journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const set = new MetricSet();
  const trail = new AuditTrail({ journal, clock }, createApiMetrics(set));
  const target = { kind: hardwareKind, namespace: 'default', name: 'h' };
  const refuse = (user: User, code = 403) =>
    trail.record({
      request: new Request('http://localhost/x', { method: 'DELETE' }),
      context: {
        peer: { address: '127.0.0.1', port: 1 },
        localAddress: '127.0.0.1',
        signal: AbortSignal.abort(),
        user,
      },
      target,
      note: {},
      code,
    });
  for (let count = 0; count < 50; count++) refuse(ann);
  refuse(MASTER);
  refuse(ann, 200);
  const users = async () => (await read(journal)).map(({ details }) => details?.['user']);
  assert.deepEqual(await users(), [...Array.from({ length: 5 }, () => 'ann'), MASTER.name, 'ann']);
  assert.equal(samplesOf(set)['api_audit_refusals_unrecorded'], 45);
  for (const second of seconds) second();
  assert.equal((await read(journal)).at(-1)?.message, 'ann: 45 more refused within a second');
  refuse(ann);
  assert.equal((await users()).length, 9);
});

test('records writes of callers that got no further than the front, within the bound of refusals', async () => {
  await using api = await startedApi(none);
  api.turnAway('DELETE', `${base}/hardware/h`, 401);
  api.turnAway('GET', `${base}/hardware/h`, 401);
  api.turnAway('POST', '/apis/nothing', 401);
  for (let index = 0; index < 30; index++) api.turnAway('POST', `${base}/hardware`, 403);
  const records = await read(api.journal);
  assert.deepEqual(
    records.map(({ message }) => message),
    [
      'system:anonymous delete hardware.tinkerbell.org default/h: 401',
      ...Array.from({ length: 4 }, () => 'system:anonymous create hardware.tinkerbell.org default: 403'),
    ],
  );
});
