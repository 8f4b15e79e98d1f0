/** ClusterRoles that always exist. */
import type { Rule } from './role.ts';

const TINKERBELL = ['tinkerbell.org', 'bmc.tinkerbell.org'];
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const DISCOVERY = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', '/version', '/version/'];

const PROBES = ['healthz', 'livez', 'readyz'].flatMap((probe) => [`/${probe}`, `/${probe}/*`]);

const discovery: Rule = { verbs: ['get'], nonResourceURLs: [...DISCOVERY, ...PROBES] };

/** Machines of the site that asked to boot, and addresses, belong to no namespace. This is for roles that are bound in all namespaces. */
const ofSite: Rule = { verbs: ['get'], nonResourceURLs: ['/unknown-machines', '/dhcp-leases'] };

const view: readonly Rule[] = [
  discovery,
  ofSite,
  { verbs: READ, apiGroups: TINKERBELL, resources: ['*'] },
  { verbs: READ, apiGroups: [''], resources: ['configmaps', 'events', 'namespaces', 'serviceaccounts'] },
  { verbs: READ, apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
];

const edit: readonly Rule[] = [
  ...view,
  { verbs: WRITE, apiGroups: TINKERBELL, resources: ['*'] },
  { verbs: [...READ, ...WRITE], apiGroups: [''], resources: ['configmaps', 'secrets', 'events'] },
];

const admin: readonly Rule[] = [
  ...edit,
  { verbs: WRITE, apiGroups: [''], resources: ['serviceaccounts', 'serviceaccounts/token'] },
  {
    verbs: [...READ, ...WRITE],
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'rolebindings'],
  },
];

/** Orders installations and follows them, and can read nothing else of the site. */
const provisioner: readonly Rule[] = [
  discovery,
  { verbs: READ, apiGroups: ['tinkerbell.org'], resources: ['hardware', 'templates', 'workflows'] },
  { verbs: ['create', 'patch'], apiGroups: ['tinkerbell.org'], resources: ['workflows', 'workflows/*'] },
];

/** Takes orders for a relay agent, and reads nothing. */
const relay: readonly Rule[] = [{ verbs: ['post'], nonResourceURLs: ['/relay-trials'] }];

const clusterAdmin: readonly Rule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const builtInRoles: ReadonlyMap<string, readonly Rule[]> = new Map([
  ['cluster-admin', clusterAdmin],
  ['admin', admin],
  ['edit', edit],
  ['view', view],
  ['provisioner', provisioner],
  ['relay', relay],
]);
