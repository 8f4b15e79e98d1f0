/** The built-in ClusterRoles as objects. */
import { builtInRoles } from '@tinkerbell/access';
import { apiVersionOf, clusterRoleKind, type ObjectMeta, type RoleResource } from '@tinkerbell/resources';

/** By name. They never change, so their revision is that of an empty store. */
export const builtInClusterRoles: ReadonlyMap<string, RoleResource> = new Map(
  [...builtInRoles]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, rules]) => [name, objectOf(name, rules)]),
);

function objectOf(name: string, rules: readonly object[]): RoleResource {
  return {
    apiVersion: apiVersionOf(clusterRoleKind),
    kind: clusterRoleKind.kind,
    metadata: {
      name,
      uid: `built-in-${name}`,
      resourceVersion: '1',
      creationTimestamp: '1970-01-01T00:00:00Z',
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    } as Partial<ObjectMeta> as ObjectMeta,
    rules: rules as NonNullable<RoleResource['rules']>,
  };
}
