/** One object of each kind that is served as protobuf, with every form that a field may have. */
const metadata = {
  name: 'one',
  namespace: 'default',
  uid: '7b0c5a5e-6c39-4f6b-8a4f-4f4f0b6a1c11',
  resourceVersion: '12',
  generation: 3,
  creationTimestamp: '2026-01-02T03:04:05Z',
  labels: { a: 'b', empty: '' },
  annotations: { note: 'ünï', ['__proto__']: 'kept' },
  finalizers: ['example.org/hold'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u', controller: false }],
  managedFields: [
    {
      manager: 'kubectl',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2026-01-02T03:04:05Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    },
  ],
};

const schema = {
  $ref: '#/x',
  type: 'object',
  required: ['spec'],
  maximum: 0,
  minimum: -1.5,
  maxLength: 0,
  default: { a: [1, null, 'x'] },
  enum: ['a', 1, null],
  items: { type: 'string' },
  additionalProperties: { type: 'string' },
  additionalItems: false,
  dependencies: { a: ['b'], c: { type: 'string' } },
  properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  'x-kubernetes-validations': [{ rule: 'self.a', message: 'no', optionalOldSelf: false }],
  'x-kubernetes-list-map-keys': ['name'],
};

const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['one'] }];
const rbac = 'rbac.authorization.k8s.io/v1';
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
const subjects = [{ kind: 'ServiceAccount', name: 's', namespace: 'default' }];

export const objects: readonly (Readonly<Record<string, unknown>> & { readonly kind: string })[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { a: '1' },
    binaryData: { b: 'AAH/' },
    immutable: false,
  },
  { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { password: 'c2VjcmV0', empty: '' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' }, spec: {}, status: { phase: 'Active' } },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
    secrets: [{ name: 's' }],
    automountServiceAccountToken: false,
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', namespace: 'default' },
    reason: 'Made',
    message: 'it was made',
    type: 'Normal',
    source: { component: 'test' },
    firstTimestamp: '2026-01-02T03:04:05Z',
    lastTimestamp: '1969-12-31T23:59:59Z',
    eventTime: '2026-01-02T03:04:05.000123Z',
    count: 2,
    series: { count: 1, lastObservedTime: '2026-01-02T03:04:05.123456Z' },
    reportingComponent: '',
    reportingInstance: '',
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      renewTime: '2026-01-02T03:04:05.000000Z',
    },
  },
  { apiVersion: rbac, kind: 'Role', metadata, rules },
  { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'c' }, rules },
  { apiVersion: rbac, kind: 'RoleBinding', metadata, roleRef, subjects },
  { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: 'c' }, roleRef, subjects },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'racks.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Cluster',
      names: { plural: 'racks', singular: 'rack', kind: 'Rack', shortNames: ['rk'], listKind: 'RackList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
          additionalPrinterColumns: [{ name: 'Units', type: 'integer', jsonPath: '.spec.units' }],
        },
      ],
    },
  },
  {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata,
    spec: { audiences: ['a'], expirationSeconds: 600, boundObjectRef: { kind: 'Secret', uid: 'u' } },
  },
  {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: {},
    status: { userInfo: { username: 'me', groups: ['g'], extra: { key: ['a', ''] } } },
  },
  { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token: 't' } },
  {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb: 'get', resource: 'secrets' } },
    status: { allowed: true },
  },
  {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: { namespace: 'default' },
    status: { resourceRules: [{ verbs: ['*'] }], nonResourceRules: [{ verbs: ['get'] }], incomplete: true },
  },
  {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Foreground',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u' },
    dryRun: ['All'],
  },
  {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    code: 404,
    reason: 'NotFound',
    message: 'gone',
    details: { name: 'x', causes: [{ field: 'a', message: 'b', reason: 'c' }], retryAfterSeconds: 1 },
  },
];

/** Omits what Go's JSON omits too: empty fields that are not pointers. */
export function withoutEmpty(object: object): object {
  const {
    reportingComponent: _component,
    reportingInstance: _instance,
    ...rest
  } = object as Record<string, unknown>;
  return rest;
}
