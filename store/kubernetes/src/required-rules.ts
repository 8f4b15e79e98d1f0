/**
 * The permissions of a server in its cluster: the rules of the ClusterRole in deploy/kubernetes/rbac.yaml. A test compares the
 * two.
 */

/** As in a ClusterRole of Kubernetes. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const read = ['get', 'list', 'watch'];
const write = [...read, 'create', 'update', 'delete'];

export const requiredRules: readonly Rule[] = [
  {
    apiGroups: ['tinkerbell.org'],
    resources: ['hardware', 'templates', 'workflows', 'workflowrulesets'],
    verbs: write,
  },
  {
    apiGroups: ['tinkerbell.org'],
    resources: ['hardware/status', 'templates/status', 'workflows/status', 'workflowrulesets/status'],
    verbs: ['update'],
  },
  { apiGroups: ['bmc.tinkerbell.org'], resources: ['machines', 'jobs', 'tasks'], verbs: write },
  {
    apiGroups: ['bmc.tinkerbell.org'],
    resources: ['machines/status', 'jobs/status', 'tasks/status'],
    verbs: ['update'],
  },
  // Keys of the server, credentials of BMCs, sessions of agents, leadership and events.
  {
    apiGroups: [''],
    resources: ['secrets', 'configmaps', 'events', 'serviceaccounts'],
    verbs: write,
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: write },
  { apiGroups: [''], resources: ['namespaces'], verbs: [...read, 'create'] },
  // The users of the server's own API, and the kinds that it serves beside its own.
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    verbs: read,
  },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: read },
];

/** Not needed if the namespace of the server is created before its first start. */
const OPTIONAL = new Set(['create namespaces']);

/** Returns the required rules that are not granted, as `verb resource.group`, such as `watch workflows.tinkerbell.org`. */
export function missingRights(granted: readonly Partial<Rule>[]): readonly string[] {
  return requiredRules.flatMap(({ apiGroups: [group = ''], resources, verbs }) =>
    resources.flatMap((resource) =>
      verbs
        .filter((verb) => !granted.some((rule) => allows(rule, { group, resource, verb })))
        .map((verb) => `${verb} ${group === '' ? resource : `${resource}.${group}`}`)
        .filter((right) => !OPTIONAL.has(right)),
    ),
  );
}

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

/** Rules about objects of certain names do not suffice. */
function allows(rule: Partial<Rule> & { readonly resourceNames?: readonly string[] }, right: Right): boolean {
  const has = (values: readonly string[] | undefined, value: string): boolean =>
    values !== undefined && (values.includes('*') || values.includes(value));
  const isWhole = (rule.resourceNames ?? []).length === 0;
  return (
    isWhole &&
    has(rule.apiGroups, right.group) &&
    has(rule.resources, right.resource) &&
    has(rule.verbs, right.verb)
  );
}
