/** Kinds of several versions, and bodies without a kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startedApi } from './testing/started-api.ts';
import { byVersionPriority } from './version-priority.ts';

const units = { type: 'object', properties: { units: { type: 'integer' } } };
const both = { type: 'object', properties: { units: { type: 'integer' }, row: { type: 'string' } } };

function version(name: string, spec: object, storage: boolean) {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status: units } } };
  return { name, served: true, storage, subresources: { status: {} }, schema };
}

const racks = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'racks.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'racks', singular: 'rack', kind: 'Rack' },
    versions: [version('v1beta1', both, false), version('v1', units, true), version('v2alpha1', both, false)],
  },
};

type Api = Awaited<ReturnType<typeof startedApi>>;

const path = (version: string) => `/apis/example.org/${version}/namespaces/default/racks`;
const merge = { 'content-type': 'application/merge-patch+json' };

async function withRacks(): Promise<Api> {
  const api = await startedApi();
  const made = await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', racks);
  assert.equal(made.code, 201, JSON.stringify(made.body));
  const rack = { apiVersion: 'example.org/v1', kind: 'Rack', metadata: { name: 'r' }, spec: { units: 1 } };
  assert.equal((await api.call('POST', path('v1'), rack)).code, 201);
  return api;
}

test('an object is returned in the version of the path', async () => {
  await using api = await withRacks();
  const { body: one } = await api.call('GET', `${path('v1beta1')}/r`);
  assert.deepEqual([one.apiVersion, one.spec], ['example.org/v1beta1', { units: 1 }]);
  const { body: list } = await api.call('GET', path('v1beta1'));
  assert.deepEqual(
    [list.apiVersion, list.items[0].apiVersion],
    ['example.org/v1beta1', 'example.org/v1beta1'],
  );
  const response = await api.raw('GET', `${path('v1beta1')}?watch=true&timeoutSeconds=1`);
  const reader = response.body?.getReader();
  const line = new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  assert.equal(JSON.parse(line).object.apiVersion, 'example.org/v1beta1');
});

for (const type of [
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
])
  test(`${type} works at a version that is not the stored one, on status too`, async () => {
    await using api = await withRacks();
    const send = (at: string, field: string, value: object) => {
      const bodies: Readonly<Record<string, unknown>> = {
        'application/merge-patch+json': { [field]: value },
        'application/json-patch+json': [{ op: 'add', path: `/${field}`, value }],
        'application/apply-patch+yaml': {
          apiVersion: 'example.org/v1beta1',
          kind: 'Rack',
          [field]: value,
          metadata: { name: 'r' },
        },
      };
      return api.call('PATCH', `${at}?fieldManager=m&force=true&fieldValidation=Strict`, bodies[type], {
        'content-type': type,
      });
    };
    const patched = await send(`${path('v1beta1')}/r`, 'spec', { units: 2 });
    assert.deepEqual(
      [patched.code, patched.body.apiVersion, patched.body.spec],
      [200, 'example.org/v1beta1', { units: 2 }],
    );
    const status = await send(`${path('v1beta1')}/r/status`, 'status', { units: 7 });
    assert.deepEqual(
      [status.code, status.body.apiVersion, status.body.status],
      [200, 'example.org/v1beta1', { units: 7 }],
    );
    const { body } = await api.call('GET', `${path('v1')}/r`);
    assert.deepEqual(
      [body.apiVersion, body.spec, body.status],
      ['example.org/v1', { units: 2 }, { units: 7 }],
    );
  });

test('objects are stored in the stored version, and only fields of the requested version are returned', async () => {
  await using api = await withRacks();
  const rack = {
    apiVersion: 'example.org/v1beta1',
    kind: 'Rack',
    metadata: { name: 'b' },
    spec: { units: 3, row: 'x' },
  };
  const made = await api.call('POST', path('v1beta1'), rack);
  assert.deepEqual([made.code, made.body.apiVersion], [201, 'example.org/v1beta1']);
  const stored = await api.store.get({ collection: 'racks.example.org', namespace: 'default', name: 'b' });
  assert.equal(stored?.object.apiVersion, 'example.org/v1');
  const { body } = await api.call('GET', `${path('v1')}/b`);
  assert.deepEqual(body.spec, { units: 3 });
  const patched = await api.call(
    'PATCH',
    `${path('v1')}/b?fieldValidation=Strict`,
    { spec: { units: 4 } },
    merge,
  );
  assert.deepEqual([patched.code, patched.body.spec], [200, { units: 4 }]);
  const { body: read } = await api.call('GET', `${path('v1beta1')}/b`);
  const replaced = await api.call('PUT', `${path('v1beta1')}/b`, { ...read, spec: { units: 5 } });
  assert.deepEqual([replaced.code, replaced.body.spec], [200, { units: 5 }]);
  assert.equal((await api.call('DELETE', `${path('v2alpha1')}/b`)).code, 200);
});

test('the preferred version is the most stable one, and the newest of those', async () => {
  await using api = await withRacks();
  const { body } = await api.call('GET', '/apis/example.org');
  assert.equal(body.preferredVersion.version, 'v1');
  assert.deepEqual(
    body.versions.map((one: { version: string }) => one.version),
    ['v1', 'v1beta1', 'v2alpha1'],
  );
  const names = [
    'foo10',
    'v1',
    'v11beta2',
    'v2',
    'v12alpha1',
    'v3beta1',
    'foo1',
    'v10',
    'v11alpha2',
    'v10beta3',
  ];
  const sorted = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
  ];
  assert.deepEqual(names.toSorted(byVersionPriority), sorted);
});

test('the body of a Kubernetes kind may omit the kind, that of a custom resource must not', async () => {
  await using api = await startedApi();
  const core = '/api/v1/namespaces/default';
  const made = await api.call('POST', `${core}/configmaps`, { metadata: { name: 'a' }, data: { x: '1' } });
  assert.deepEqual([made.code, made.body.apiVersion, made.body.kind], [201, 'v1', 'ConfigMap']);
  const half = await api.call('PUT', `${core}/configmaps/a`, {
    kind: 'ConfigMap',
    apiVersion: '',
    metadata: { name: 'a' },
  });
  assert.equal(half.code, 200);
  const lease = await api.call('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
    metadata: { name: 'l' },
  });
  assert.deepEqual([lease.code, lease.body.apiVersion], [201, 'coordination.k8s.io/v1']);
  const other = await api.call('POST', `${core}/configmaps`, { kind: 'Secret', metadata: { name: 'b' } });
  assert.equal(other.code, 400);
  const custom = await api.call('POST', '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware', {
    metadata: { name: 'h' },
  });
  assert.equal(custom.code, 422);
});
