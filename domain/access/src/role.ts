/** Roles and bindings in the format of `rbac.authorization.k8s.io/v1`. */

export interface Rule {
  readonly verbs: readonly string[];
  /** `""` is the core group. */
  readonly apiGroups?: readonly string[];
  /** `hardware`, `workflows/status`, `*`, or `*` and `/scale` for a subresource of all. */
  readonly resources?: readonly string[];
  /** Names of objects. Absent or empty means all. */
  readonly resourceNames?: readonly string[];
  /** Non-resource paths. A `*` at the end matches any suffix. */
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
  /** Absent for a ClusterRoleBinding, which applies in every namespace and to cluster-scoped objects. */
  readonly namespace?: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

export interface Policy {
  readonly bindings: readonly Binding[];
  /** Returns the rules of a Role (with its namespace) or a ClusterRole, or undefined when it does not exist. */
  rules(role: RoleRef, namespace: string | undefined): readonly Rule[] | undefined;
}
