/** Roles and bindings, as `rbac.authorization.k8s.io/v1` writes them. */

export interface Rule {
  readonly verbs: readonly string[];
  /** `""` is the core group. */
  readonly apiGroups?: readonly string[];
  /** `hardware`, `workflows/status`, `*`, or `*` and `/scale` for a subresource of all. */
  readonly resources?: readonly string[];
  /** All when absent or empty. */
  readonly resourceNames?: readonly string[];
  /** Paths that name no object; a `*` at the end stands for what follows. */
  readonly nonResourceURLs?: readonly string[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

export interface Binding {
  readonly name: string;
  /** Absent for a ClusterRoleBinding, which holds in every namespace and for what has none. */
  readonly namespace?: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

export interface Policy {
  readonly bindings: readonly Binding[];
  /** The rules of a Role (with its namespace) or a ClusterRole; undefined when there is none of that name. */
  rules(role: RoleRef, namespace: string | undefined): readonly Rule[] | undefined;
}
