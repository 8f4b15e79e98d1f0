import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath } from '../problem.ts';
import type { Resource } from '../resource.ts';
import { validateAs } from '../validate.ts';
import { clusterRoleBindingKind, roleBindingKind, roleKind } from './role-kinds.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const metadata = { name: 'one', namespace: 'default' };

function fieldsOf(checked: ReturnType<typeof validateAs>): string[] {
  return checked.ok ? [] : checked.problems.map(({ path }) => formatPath(path));
}

test('a rule names verbs, groups and resources, and paths belong in a ClusterRole', () => {
  const role = (rules: object[]) =>
    fieldsOf(validateAs(roleKind, { apiVersion, kind: 'Role', metadata, rules }));
  assert.deepEqual(role([{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }]), []);
  assert.deepEqual(role([{ verbs: [] }]), ['rules[0].verbs', 'rules[0].apiGroups', 'rules[0].resources']);
  assert.deepEqual(role([{ verbs: ['get'], nonResourceURLs: ['/x'] }]), ['rules[0].nonResourceURLs']);
});

test('what a binding grants cannot change, and its subjects are complete', () => {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  const binding = (extra: object, before?: object) =>
    fieldsOf(
      validateAs(
        roleBindingKind,
        { apiVersion, kind: 'RoleBinding', metadata, roleRef, ...extra },
        before as Resource | undefined,
      ),
    );
  assert.deepEqual(binding({}), []);
  assert.deepEqual(binding({ roleRef: undefined }), ['roleRef']);
  assert.deepEqual(binding({}, { roleRef: { ...roleRef, name: 'edit' } }), ['roleRef']);
  assert.deepEqual(binding({ subjects: [{ kind: 'ServiceAccount', name: 'ci' }] }), [
    'subjects[0].namespace',
  ]);
  const wide = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef: { ...roleRef, kind: 'Role' } };
  assert.deepEqual(fieldsOf(validateAs(clusterRoleBindingKind, wide)), ['roleRef.kind']);
});
