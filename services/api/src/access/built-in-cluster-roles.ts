/** The built-in ClusterRoles as objects. */
import { builtInRoles, type Rule } from '@tinkerbell/access';
import { apiVersionOf, clusterRoleKind, objectMeta, type RoleResource } from '@tinkerbell/resources';

/** By name. They never change, so their revision is that of an empty store. */
export const builtInClusterRoles: ReadonlyMap<string, RoleResource> = new Map(
  [...builtInRoles]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, rules]) => [name, objectOf(name, rules)]),
);

function objectOf(name: string, rules: readonly Rule[]): RoleResource {
  return {
    apiVersion: apiVersionOf(clusterRoleKind),
    kind: clusterRoleKind.kind,
    metadata: objectMeta({
      name,
      uid: `built-in-${name}`,
      resourceVersion: '1',
      creationTimestamp: '1970-01-01T00:00:00Z',
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    }),
    rules: rules.map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => ({
      verbs: [...verbs],
      ...(apiGroups && { apiGroups: [...apiGroups] }),
      ...(resources && { resources: [...resources] }),
      ...(resourceNames && { resourceNames: [...resourceNames] }),
      ...(nonResourceURLs && { nonResourceURLs: [...nonResourceURLs] }),
    })),
  };
}
