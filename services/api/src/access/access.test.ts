import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTHENTICATED } from '@tinkerbell/access';
import { base, MASTER, startedApi } from '../testing/started-api.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const apiVersion = 'rbac.authorization.k8s.io/v1';
const ann = { name: 'ann', groups: [AUTHENTICATED] };
const none = { deny: [], allow: [] };

const role = (kind: string, name: string, rules: object[]) => ({
  apiVersion,
  kind,
  metadata: { name },
  rules,
});
const binding = (kind: string, name: string, to: string) => ({
  apiVersion,
  kind,
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: to },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
});

async function guardedApi() {
  return startedApi(none, { isGuarded: true });
}

test('a user without roles may do nothing, and gets the error in the words of Kubernetes', async () => {
  await using api = await guardedApi();
  api.as(ann);
  const { code, body } = await api.call('DELETE', `${base}/hardware/h`);
  assert.equal(code, 403);
  assert.equal(
    body.message,
    'hardware.tinkerbell.org "h" is forbidden: User "ann" cannot delete resource "hardware" in API group "tinkerbell.org" in the namespace "default"',
  );
  assert.equal((await api.call('GET', '/apis')).code, 200);
});

test('a binding applies at once, in its own namespace, until it is deleted', async () => {
  await using api = await guardedApi();
  const bindings = `${rbac}/namespaces/default/rolebindings`;
  assert.equal((await api.call('POST', bindings, binding('RoleBinding', 'ann', 'view'))).code, 201);
  api.as(ann);
  assert.equal((await api.call('GET', `${base}/hardware`)).code, 200);
  assert.equal((await api.call('GET', `${base}/hardware?limit=5`)).code, 200);
  assert.equal((await api.call('GET', base.replace('default', 'other') + '/hardware')).code, 403);
  assert.equal((await api.call('POST', `${base}/hardware`, {})).code, 403);
  api.as(MASTER);
  await api.call('DELETE', `${bindings}/ann`);
  api.as(ann);
  assert.equal((await api.call('GET', `${base}/hardware`)).code, 403);
});

test('nobody can grant permissions they lack, neither by a role nor by a binding', async () => {
  await using api = await guardedApi();
  const cluster = `${rbac}/clusterrolebindings`;
  await api.call('POST', cluster, binding('ClusterRoleBinding', 'ann-view', 'view'));
  const writing = [
    { verbs: ['create', 'patch'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'] },
  ];
  await api.call('POST', `${rbac}/clusterroles`, role('ClusterRole', 'writes-roles', writing));
  await api.call('POST', cluster, binding('ClusterRoleBinding', 'ann-writes', 'writes-roles'));
  api.as(ann);
  const more = role('Role', 'more', [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }]);
  const roles = `${rbac}/namespaces/default/roles`;
  const refused = await api.call('POST', roles, more);
  assert.equal(refused.code, 403);
  assert.match(refused.body.message, /attempting to grant RBAC permissions not currently held: get secrets/);
  const less = role('Role', 'less', [
    { verbs: ['get'], apiGroups: ['tinkerbell.org'], resources: ['hardware'] },
  ]);
  assert.equal((await api.call('POST', roles, less)).code, 201);
  assert.equal(
    (await api.call('POST', cluster, binding('ClusterRoleBinding', 'x', 'cluster-admin'))).code,
    403,
  );
  assert.equal((await api.call('POST', cluster, binding('ClusterRoleBinding', 'x', 'view'))).code, 201);
  const absent = await api.call('POST', cluster, binding('ClusterRoleBinding', 'y', 'absent'));
  assert.match(absent.body.message, /ClusterRole "absent" not found/);
});

test('applying a missing object needs the permission to create it', async () => {
  await using api = await guardedApi();
  const patching = [{ verbs: ['patch'], apiGroups: ['tinkerbell.org'], resources: ['hardware'] }];
  await api.call('POST', `${rbac}/clusterroles`, role('ClusterRole', 'patches', patching));
  await api.call('POST', `${rbac}/clusterrolebindings`, binding('ClusterRoleBinding', 'ann', 'patches'));
  api.as(ann);
  const hardware = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', metadata: { name: 'h' } };
  const answer = await api.call('PATCH', `${base}/hardware/h?fieldManager=x`, JSON.stringify(hardware), {
    'content-type': 'application/apply-patch+yaml',
  });
  assert.match(answer.body.message, /cannot create resource "hardware"/);
});

test('built-in ClusterRoles are listed with the others, and cannot be written', async () => {
  await using api = await guardedApi();
  await api.call('POST', `${rbac}/clusterroles`, role('ClusterRole', 'ours', []));
  const { body } = await api.call('GET', `${rbac}/clusterroles`);
  assert.deepEqual(
    body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ['admin', 'cluster-admin', 'edit', 'ours', 'provisioner', 'relay', 'view'],
  );
  const { body: view } = await api.call('GET', `${rbac}/clusterroles/view`);
  assert.equal(view.rules[0].nonResourceURLs[0], '/api');
  for (const [method, path] of [
    ['DELETE', '/view'],
    ['PUT', '/view'],
    ['POST', ''],
  ] as const) {
    const answer = await api.call(method, `${rbac}/clusterroles${path}`, role('ClusterRole', 'view', []));
    assert.equal(answer.code, 403, method);
    assert.match(answer.body.message, /built in/);
  }
});

test('reviews return the user and the permissions', async () => {
  await using api = await guardedApi();
  await api.call('POST', `${rbac}/clusterrolebindings`, binding('ClusterRoleBinding', 'ann', 'view'));
  api.as(ann);
  const self = await api.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
  assert.deepEqual(self.body.status.userInfo, { username: 'ann', groups: [AUTHENTICATED] });
  const may = async (verb: string, resource: string) => {
    const spec = { resourceAttributes: { verb, resource, group: 'tinkerbell.org', namespace: 'default' } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    return (await api.call('POST', path, { spec })).body.status.allowed as boolean;
  };
  assert.deepEqual([await may('get', 'hardware'), await may('delete', 'hardware')], [true, false]);
  assert.equal(
    (await api.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } })).code,
    403,
  );
});

test('objects that the API hides cannot be read, listed or watched', async () => {
  const hidden = { collection: 'secrets', namespace: 'default', name: 'key' };
  await using api = await startedApi(none, { hidden: [hidden] });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' } };
  await api.call('POST', '/api/v1/namespaces/default/secrets', secret);
  assert.equal((await api.call('GET', '/api/v1/namespaces/default/secrets/key')).code, 404);
  assert.deepEqual((await api.call('GET', '/api/v1/secrets')).body.items, []);
  assert.equal((await api.call('POST', '/api/v1/namespaces/default/secrets', secret)).code, 409);
  const write = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'key', namespace: 'default' },
    data: {},
  };
  for (const [path, seen] of [
    ['/api/v1/secrets', 'one'],
    ['/api/v1/namespaces/default/secrets', 'two'],
  ] as const) {
    const watch = await api.raw('GET', `${path}?watch=true&timeoutSeconds=60`);
    const stored = await api.store.get(hidden);
    await api.store.commit([
      { operation: 'update', key: hidden, object: write, expectedRevision: stored?.revision ?? 0 },
    ]);
    await api.call('POST', '/api/v1/namespaces/default/secrets', { ...secret, metadata: { name: seen } });
    let text = '';
    for await (const chunk of watch.body ?? []) {
      text += new TextDecoder().decode(chunk);
      if (text.includes(`"name":"${seen}"`)) break;
    }
    assert.doesNotMatch(text, /"name":"key"/, path);
  }
});
