import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  ANONYMOUS,
  builtInRoles,
  decide,
  exceeds,
  rulesOf,
  serviceAccountUser,
  userOfClaims,
  type Asked,
  type Binding,
  type Policy,
  type Rule,
  type User,
} from './index.ts';

const group = 'tinkerbell.org';
const ann: User = { name: 'ann', groups: ['operators'] };

function policy(bindings: readonly Binding[], roles: Readonly<Record<string, readonly Rule[]>> = {}): Policy {
  return {
    bindings,
    rules: (role, namespace) =>
      role.kind === 'ClusterRole' ? builtInRoles.get(role.name) : roles[`${namespace}/${role.name}`],
  };
}

function cluster(role: string, kind: string, name: string): Binding {
  return { name: 'b', roleRef: { kind: 'ClusterRole', name: role }, subjects: [{ kind, name }] };
}

const getHardware: Asked = { verb: 'get', group, resource: 'hardware', namespace: 'default', name: 'm1' };

test('an action that no rule allows is forbidden, and the refusal has the words of Kubernetes', () => {
  assert.deepEqual(decide(ANONYMOUS, getHardware, policy([])), {
    allowed: false,
    reason:
      'User "system:anonymous" cannot get resource "hardware" in API group "tinkerbell.org" in the namespace "default"',
  });
  assert.deepEqual(decide(ann, { verb: 'get', path: '/metrics' }, policy([])), {
    allowed: false,
    reason: 'User "ann" cannot get path "/metrics"',
  });
});

test('binds users, groups and service accounts', () => {
  const asks = (user: User, kind: string, name: string) =>
    decide(user, getHardware, policy([cluster('view', kind, name)])).allowed;
  assert.ok(asks(ann, 'User', 'ann'));
  assert.ok(asks(ann, 'Group', 'operators'));
  assert.ok(!asks(ann, 'User', 'operators'));
  assert.ok(!asks(ann, 'Robot', 'ann'));
  const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name: 'ci' }];
  const bound = policy([{ ...cluster('view', 'User', 'nobody'), subjects }]);
  assert.ok(decide(serviceAccountUser('default', 'ci'), getHardware, bound).allowed);
  assert.ok(!decide(serviceAccountUser('other', 'ci'), getHardware, bound).allowed);
});

test('a binding in a namespace applies only there', () => {
  const binding = { ...cluster('edit', 'User', 'ann'), namespace: 'lab' };
  const may = (asked: Asked) => decide(ann, asked, policy([binding])).allowed;
  const list = { verb: 'list', group, resource: 'workflows' };
  assert.ok(may({ ...list, namespace: 'lab' }));
  assert.ok(!may({ ...list, namespace: 'default' }));
  assert.ok(!may(list), 'all namespaces');
  assert.ok(!may({ verb: 'get', group: '', resource: 'namespaces', name: 'lab' }), 'without a namespace');
});

test('a Role of one namespace does not apply in another', () => {
  const roleRef = { kind: 'Role', name: 'watchers' };
  const roles = { 'lab/watchers': [{ verbs: ['get'], apiGroups: [group], resources: ['hardware'] }] };
  const subjects = [{ kind: 'User', name: 'ann' }];
  const may = (namespace: string) =>
    decide(ann, { ...getHardware, namespace }, policy([{ name: 'b', namespace, roleRef, subjects }], roles))
      .allowed;
  assert.ok(may('lab'));
  assert.ok(!may('default'));
});

const rules: readonly [Rule, Asked, boolean][] = [
  [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'] }, getHardware, true],
  [{ verbs: ['*'], apiGroups: [group], resources: ['hardware'] }, getHardware, true],
  [{ verbs: ['get'], apiGroups: [''], resources: ['hardware'] }, getHardware, false],
  [{ verbs: ['get'], resources: ['hardware'] }, getHardware, false],
  [{ verbs: ['get'], apiGroups: [group] }, getHardware, false],
  [{ verbs: ['get'], apiGroups: [group], resources: ['hardware'], resourceNames: ['m1'] }, getHardware, true],
  [
    { verbs: ['get'], apiGroups: [group], resources: ['hardware'], resourceNames: ['m2'] },
    getHardware,
    false,
  ],
  [
    { verbs: ['list'], apiGroups: [group], resources: ['hardware'], resourceNames: ['m1'] },
    { verb: 'list', group, resource: 'hardware' },
    false,
  ],
  [
    { verbs: ['get'], apiGroups: [group], resources: ['hardware'] },
    { ...getHardware, subresource: 'status' },
    false,
  ],
  [
    { verbs: ['get'], apiGroups: [group], resources: ['hardware/status'] },
    { ...getHardware, subresource: 'status' },
    true,
  ],
  [{ verbs: ['get'], apiGroups: [group], resources: ['hardware/status'] }, getHardware, false],
  [
    { verbs: ['get'], apiGroups: [group], resources: ['*/status'] },
    { ...getHardware, subresource: 'status' },
    true,
  ],
  [{ verbs: ['get'], apiGroups: [group], resources: ['hardware/*'] }, getHardware, false],
  [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }, { verb: 'get', path: '/healthz/x' }, false],
  [{ verbs: ['get'], nonResourceURLs: ['/healthz*'] }, { verb: 'get', path: '/healthz/x' }, true],
  [{ verbs: ['get'], nonResourceURLs: ['*'] }, getHardware, false],
];

test('a rule permits what it names', () => {
  for (const [rule, asked, expected] of rules) {
    const roles = { 'default/r': [rule] };
    const subjects = [{ kind: 'User', name: 'ann' }];
    const roleRef = { kind: 'Role', name: 'r' };
    const inDefault = { ...asked, ...('path' in asked ? {} : { namespace: 'default' }) } as Asked;
    const bound = {
      bindings: [{ name: 'b', roleRef, subjects }],
      rules: () => roles['default/r'],
    };
    assert.equal(decide(ann, inDefault, bound).allowed, expected, JSON.stringify([rule, asked]));
  }
});

test('built-in roles: view reads no secrets, edit writes no roles, provisioner orders and follows', () => {
  const may = (role: string, verb: string, resource: string, of = group) =>
    decide(ann, { verb, group: of, resource, namespace: 'default' }, policy([cluster(role, 'User', 'ann')]))
      .allowed;
  assert.ok(may('view', 'list', 'workflows'));
  assert.ok(!may('view', 'get', 'secrets', ''));
  assert.ok(!may('view', 'create', 'workflows'));
  assert.ok(may('edit', 'create', 'secrets', ''));
  assert.ok(!may('edit', 'create', 'rolebindings', 'rbac.authorization.k8s.io'));
  assert.ok(may('admin', 'create', 'rolebindings', 'rbac.authorization.k8s.io'));
  assert.ok(!may('admin', 'create', 'clusterrolebindings', 'rbac.authorization.k8s.io'));
  assert.ok(may('cluster-admin', 'delete', 'anything', 'example.org'));
  assert.ok(may('provisioner', 'create', 'workflows'));
  assert.ok(!may('provisioner', 'delete', 'hardware'));
});

test('system:masters may do everything, without a binding', () => {
  const root = { name: 'root', groups: ['system:masters'] };
  assert.ok(decide(root, getHardware, policy([])).allowed);
  assert.equal(rulesOf(root, 'default', policy([])).length, 2);
});

test('you cannot grant permissions you lack', () => {
  const edit = builtInRoles.get('edit') ?? [];
  const all = builtInRoles.get('cluster-admin') ?? [];
  assert.equal(exceeds(builtInRoles.get('view') ?? [], edit), undefined);
  assert.equal(exceeds(all, edit), '* *.*');
  assert.equal(exceeds(edit, all), undefined);
  assert.equal(
    exceeds(
      [{ verbs: ['get'], apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['a'] }],
      edit,
    ),
    'get serviceaccounts/token a',
  );
});

test('claims name a user who cannot be an internal one', () => {
  const claims = {
    sub: 'system:masters',
    groups: ['system:masters'],
    realm_access: { roles: ['edge-operator'] },
    resource_access: { tink: { roles: ['admin'] }, other: { roles: ['root'] } },
  };
  assert.deepEqual(userOfClaims(claims, { client: 'tink' }), {
    name: 'oidc:system:masters',
    groups: ['oidc:system:masters', 'oidc:edge-operator', 'oidc:admin', 'system:authenticated'],
  });
  assert.deepEqual(
    userOfClaims({ email: 'a@b.c', groups: 'one' }, { usernameClaim: 'email', usernamePrefix: '' }),
    {
      name: 'a@b.c',
      groups: ['oidc:one', 'system:authenticated'],
    },
  );
  assert.equal(userOfClaims({ sub: 7 }), undefined);
  assert.equal(userOfClaims({}), undefined);
  assert.equal(userOfClaims({}, { usernameClaim: 'constructor' }), undefined);
  assert.deepEqual(userOfClaims({ sub: 'x', groups: [1, null], realm_access: 'y' })?.groups, [
    'system:authenticated',
  ]);
});
