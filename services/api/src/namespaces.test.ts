/** New objects need an existing namespace, as in a cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base, startedApi } from './testing/started-api.ts';

const hardware = (name: string) => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name },
});
const lab = base.replace('default', 'lab');

test('rejects an object in a missing namespace, with advice', async () => {
  await using api = await startedApi();
  const refused = await api.call('POST', `${lab}/hardware`, hardware('h'));
  assert.deepEqual([refused.code, refused.body.reason], [404, 'NotFound']);
  assert.deepEqual(refused.body.details, { name: 'lab', kind: 'namespaces' });
  assert.match(refused.body.message, /^namespaces "lab" not found; .*kubectl create namespace lab/);
  const dry = await api.call('POST', `${lab}/hardware?dryRun=All`, hardware('h'));
  assert.equal(dry.code, 404);
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const applied = await api.call('PATCH', `${lab}/hardware/h?fieldManager=m`, hardware('h'), apply);
  assert.equal(applied.code, 404);
  assert.equal((await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'lab' } })).code, 201);
  assert.equal((await api.call('POST', `${lab}/hardware`, hardware('h'))).code, 201);
  for (const name of ['default', 'kube-system', 'tinkerbell'])
    assert.equal(
      (
        await api.call('POST', `${base.replace('default', name)}/templates?dryRun=All`, {
          apiVersion: 'tinkerbell.org/v1alpha1',
          kind: 'Template',
          metadata: { name: 't' },
          spec: { data: 'name: x\nglobal_timeout: 1\ntasks: []' },
        })
      ).code !== 404,
      true,
    );
});

test('rejects new objects in a namespace that is being deleted', async () => {
  await using api = await startedApi();
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'lab' } });
  const held = { ...hardware('h'), metadata: { name: 'h', finalizers: ['example.org/hold'] } };
  await api.call('POST', `${lab}/hardware`, held);
  await api.call('DELETE', '/api/v1/namespaces/lab');
  const refused = await api.call('POST', `${lab}/hardware`, hardware('late'));
  assert.deepEqual([refused.code, refused.body.reason], [403, 'Forbidden']);
  assert.match(refused.body.message, /namespace lab because it is being terminated/);
});

test('namespaces of the settings, and those with objects, exist from the start', async () => {
  await using api = await startedApi(undefined, { namespaces: ['racks', 'default'] });
  const namesNow = async () =>
    (await api.call('GET', '/api/v1/namespaces')).body.items.map(
      (one: { metadata: { name: string } }) => one.metadata.name,
    );
  assert.deepEqual(await namesNow(), ['default', 'kube-system', 'racks', 'tinkerbell']);
});

test('a store of an older version gets the missing namespaces', async () => {
  await using api = await startedApi();
  const writes = ['old-a', 'old-b', 'default'].flatMap((namespace) =>
    ['m1', 'm2'].map((name) => ({
      operation: 'create' as const,
      key: { collection: 'hardware.tinkerbell.org', namespace, name },
      object: { ...hardware(name), metadata: { name, namespace } },
    })),
  );
  assert.ok((await api.store.commit(writes)).ok);
  await using later = await startedApi(undefined, { store: api.store });
  const { body } = await later.call('GET', '/api/v1/namespaces');
  const names = body.items.map((one: { metadata: { name: string } }) => one.metadata.name);
  assert.deepEqual(names, ['default', 'kube-system', 'old-a', 'old-b', 'tinkerbell']);
});
