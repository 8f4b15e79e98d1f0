/**
 * Role, ClusterRole and their bindings (rbac.authorization.k8s.io/v1), which define the permissions of users.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import { isDeepEqual } from '../deep-equal.ts';
import type { Kind, PrinterColumn } from '../kind.ts';
import type { KindOf } from '../kind-of.ts';
import type { Problem } from '../problem.ts';
import type { Resource } from '../resource.ts';
import { Type, type Static } from '../schema.ts';
import { oneOf } from '../schema-builders.ts';
import type { Path } from '../schema/place.ts';

const GROUP = 'rbac.authorization.k8s.io';

const texts = () => Type.Optional(Type.Array(Type.String()));

const PolicyRule = Type.Object({
  verbs: Type.Array(Type.String(), { description: 'get, list, watch, create, update, patch, delete, or *.' }),
  apiGroups: texts(),
  resources: texts(),
  resourceNames: texts(),
  nonResourceURLs: texts(),
});
const RoleRef = Type.Object({
  apiGroup: oneOf([GROUP], { default: GROUP }),
  kind: oneOf(['Role', 'ClusterRole']),
  name: Type.String(),
});
const Subject = Type.Object({
  kind: oneOf(['User', 'Group', 'ServiceAccount']),
  name: Type.String(),
  apiGroup: Type.Optional(Type.String()),
  namespace: Type.Optional(Type.String()),
});

export type PolicyRule = Static<typeof PolicyRule>;

export interface RoleResource extends Resource {
  readonly rules?: readonly PolicyRule[];
}

export interface BindingResource extends Resource {
  readonly roleRef: Static<typeof RoleRef>;
  readonly subjects?: readonly Static<typeof Subject>[];
}

type Json = Readonly<Record<string, unknown>>;

const roleFields: Kind['fields'] = { rules: Type.Array(PolicyRule) };
const bindingFields: Kind['fields'] = { roleRef: RoleRef, subjects: Type.Array(Subject) };
const bindingColumns: readonly PrinterColumn[] = [
  { name: 'Role', jsonPath: '.roleRef.name', type: 'string' },
];
const own = { group: GROUP, version: 'v1', shortNames: [], categories: [], printerColumns: [] } as const;

export const roleKind: KindOf<RoleResource> = {
  ...own,
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  description: 'Permissions in one namespace, granted by bindings.',
  fields: roleFields,
  rules: (object) => ruleProblems(object, 'Role'),
};

export const clusterRoleKind: KindOf<RoleResource> = {
  ...own,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  scope: 'Cluster',
  description: 'Permissions granted by bindings, in all namespaces or in the namespace of the binding.',
  fields: roleFields,
  rules: (object) => ruleProblems(object, 'ClusterRole'),
};

export const roleBindingKind: KindOf<BindingResource> = {
  ...own,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  description: 'Grants a Role or ClusterRole to users, groups and service accounts in one namespace.',
  printerColumns: bindingColumns,
  fields: bindingFields,
  rules: (object, before) => bindingProblems(object, before, 'RoleBinding'),
};

export const clusterRoleBindingKind: KindOf<BindingResource> = {
  ...own,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  scope: 'Cluster',
  description: 'Grants a ClusterRole to users, groups and service accounts in all namespaces.',
  printerColumns: bindingColumns,
  fields: bindingFields,
  rules: (object, before) => bindingProblems(object, before, 'ClusterRoleBinding'),
};

export const roleKinds: readonly Kind[] = [
  roleKind,
  clusterRoleKind,
  roleBindingKind,
  clusterRoleBindingKind,
];

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter((one): one is Json => isRecord(one)) : [];
}

function isEmpty(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}

function required(path: Path, message: string): Problem {
  return { reason: 'required', path, message };
}

function invalid(path: Path, value: unknown, message: string): Problem {
  return { reason: 'invalid', path, value, message };
}

function ruleProblems(object: Json, kind: 'Role' | 'ClusterRole'): Problem[] {
  return listOf(object['rules']).flatMap((rule, index) => oneRuleProblems(rule, ['rules', index], kind));
}

function oneRuleProblems(rule: Json, path: Path, kind: 'Role' | 'ClusterRole'): Problem[] {
  const problems: Problem[] = [];
  if (isEmpty(rule['verbs'])) problems.push(required([...path, 'verbs'], 'must name at least one verb'));
  if (!isEmpty(rule['nonResourceURLs'])) {
    const at = [...path, 'nonResourceURLs'];
    if (kind === 'Role') problems.push(invalid(at, rule['nonResourceURLs'], 'belongs in a ClusterRole'));
    if (!isEmpty(rule['apiGroups']) || !isEmpty(rule['resources']))
      problems.push(invalid(at, rule['nonResourceURLs'], 'must be in a separate rule, without resources'));
    return problems;
  }
  if (isEmpty(rule['apiGroups']))
    problems.push(required([...path, 'apiGroups'], 'must name at least one group; "" is the core group'));
  if (isEmpty(rule['resources']))
    problems.push(required([...path, 'resources'], 'must name at least one resource, such as "hardware"'));
  return problems;
}

function bindingProblems(object: Json, before: Json | undefined, kind: string): Problem[] {
  const { roleRef } = object;
  if (!isRecord(roleRef)) return [required(['roleRef'], 'must name a Role or ClusterRole')];
  const problems = listOf(object['subjects']).flatMap((one, index) =>
    subjectProblems(one, ['subjects', index]),
  );
  if (roleRef['name'] === '') problems.push(required(['roleRef', 'name'], 'must not be empty'));
  if (kind === 'ClusterRoleBinding' && roleRef['kind'] !== 'ClusterRole')
    problems.push(
      invalid(['roleRef', 'kind'], roleRef['kind'], 'must be ClusterRole in a ClusterRoleBinding'),
    );
  if (before !== undefined && !isDeepEqual(before['roleRef'], roleRef))
    problems.push(invalid(['roleRef'], roleRef, 'must not change; delete the binding and create it again'));
  return problems;
}

function subjectProblems(subject: Json, path: Path): Problem[] {
  const { kind, name, namespace = '', apiGroup } = subject;
  const problems: Problem[] = [];
  const group = kind === 'ServiceAccount' ? '' : GROUP;
  if (name === '') problems.push(required([...path, 'name'], 'must not be empty'));
  if (kind === 'ServiceAccount' && namespace === '')
    problems.push(required([...path, 'namespace'], 'must be the namespace of the ServiceAccount'));
  if (apiGroup !== undefined && apiGroup !== group)
    problems.push(
      invalid([...path, 'apiGroup'], apiGroup, `must be ${JSON.stringify(group)} for ${String(kind)}`),
    );
  return problems;
}
