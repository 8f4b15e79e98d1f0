/** The Kubernetes kinds that are served beside Tinkerbell's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base, startedApi } from './testing/started-api.ts';

const core = '/api/v1/namespaces/default';
const merge = { 'content-type': 'application/merge-patch+json' };

function configMap(name: string, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: { a: '1' } };
}

type Api = Awaited<ReturnType<typeof startedApi>>;

async function gone(api: Api, path: string): Promise<void> {
  while ((await api.call('GET', path)).code !== 404) await new Promise((resolve) => setImmediate(resolve));
}

test('a Secret stores its text in base64, and an invalid value is rejected with its field', async () => {
  await using api = await startedApi();
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { k: 'ä€😀' } };
  const created = await api.call('POST', `${core}/secrets`, secret);
  assert.equal(created.body.data.k, Buffer.from('ä€😀').toString('base64'));
  assert.equal(created.body.stringData, undefined);
  const bad = await api.call('PATCH', `${core}/secrets/s`, { data: { k: '?' } }, merge);
  assert.equal(bad.code, 422);
  assert.equal(bad.body.details.causes[0].field, 'data.k');
});

test('owned objects are deleted with their owner, and stay if orphaned', async () => {
  await using api = await startedApi();
  const { uid } = (await api.call('POST', `${core}/configmaps`, configMap('owner'))).body.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await api.call('POST', `${core}/configmaps`, configMap('owned', { ownerReferences }));
  await api.call('DELETE', `${core}/configmaps/owner?propagationPolicy=Orphan`);
  await gone(api, `${core}/configmaps/owner`);
  const orphan = await api.call('GET', `${core}/configmaps/owned`);
  assert.deepEqual(orphan.body.metadata.ownerReferences ?? [], []);
  const again = (await api.call('POST', `${core}/configmaps`, configMap('owner'))).body.metadata.uid;
  const owned = { metadata: { ownerReferences: [{ ...ownerReferences[0], uid: again }] } };
  await api.call('PATCH', `${core}/configmaps/owned`, owned, merge);
  await api.call('DELETE', `${core}/configmaps/owner?propagationPolicy=Foreground`);
  await gone(api, `${core}/configmaps/owned`);
  await gone(api, `${core}/configmaps/owner`);
});

test('invalid bodies get their status, and change no prototype', async () => {
  await using api = await startedApi();
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const bodies: readonly [string, number, string?][] = [
    ['x'.repeat(2 * 1024 * 1024 + 1), 413],
    [`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"},"data":${deep}}`, 413],
    ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"},"__proto__":{"polluted":1}}', 201],
    ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t"},"data":{"a":1}}', 422],
    ['[]', 422],
    ['{', 400],
  ];
  for (const [body, code] of bodies)
    assert.equal((await api.call('POST', `${core}/configmaps`, body)).code, code, body.slice(0, 100));
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.equal((await api.call('GET', `${base}/hardware?fieldSelector=spec.x=1`)).code, 400);
});
