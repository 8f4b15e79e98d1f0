import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base, startedApi } from './testing/started-api.ts';
import { longPathFor } from './short-paths.ts';

const object = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'm1' },
  spec: { interfaces: [{ dhcp: { mac: '52:54:00:00:00:01' } }] },
};

test('/v1/hardware, templates and workflows serve the objects of the Kubernetes paths', async () => {
  await using api = await startedApi();
  assert.equal((await api.call('POST', '/v1/hardware', object)).code, 201);
  assert.equal((await api.call('GET', `${base}/hardware/m1`)).body.metadata.name, 'm1');
  assert.deepEqual(
    (await api.call('GET', '/v1/hardware/m1')).body,
    (await api.call('GET', `${base}/hardware/m1`)).body,
  );
  const list = await api.call('GET', '/v1/hardware?limit=5');
  assert.deepEqual(list.body.items.length, 1);
  assert.equal((await api.call('GET', '/v1/templates')).body.kind, 'TemplateList');
  assert.equal((await api.call('GET', '/v1/workflows/')).body.kind, 'WorkflowList');
  const merge = { 'content-type': 'application/merge-patch+json' };
  const patched = await api.call('PATCH', '/v1/hardware/m1', { metadata: { labels: { a: 'b' } } }, merge);
  assert.equal(patched.body.metadata.labels.a, 'b');
  assert.equal((await api.call('GET', '/v1/workflows/none')).code, 404);
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'lab' } });
  assert.deepEqual((await api.call('GET', '/v1/hardware?namespace=lab')).body.items, []);
  assert.equal((await api.call('DELETE', '/v1/hardware/m1')).code, 200);
  assert.equal((await api.call('GET', '/v1/hardware/m1')).code, 404);
});

test('short paths need the same permissions, and their writes are in the audit', async () => {
  await using api = await startedApi(undefined, { isGuarded: true });
  await api.call('POST', '/v1/hardware', object);
  const [record] = await api.journal.read({ events: ['write-answered'], after: 0 });
  assert.equal(record?.details?.['name'], 'm1');
  api.as({ name: 'ann', groups: [] });
  for (const path of ['/v1/hardware', '/v1/hardware/m1', '/v1/templates', '/v1/workflows?namespace=lab'])
    assert.equal((await api.call('GET', path)).code, 403, path);
  assert.equal((await api.call('POST', '/v1/hardware', object)).code, 403);
});

test('leaves other paths to other routes', () => {
  const query = new URLSearchParams();
  for (const path of ['/v1/hardwares', '/v1/hardware/a/b/c', '/v1/jobs', '/v1/hardware//a', '/v2/hardware'])
    assert.equal(longPathFor(path, query, 'default'), undefined, path);
  const climbing = longPathFor('/v1/hardware/m1', new URLSearchParams({ namespace: '../x?y' }), 'default');
  assert.equal(climbing, '/apis/tinkerbell.org/v1alpha1/namespaces/..%2Fx%3Fy/hardware/m1');
});
