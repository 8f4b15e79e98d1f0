/** Namespace (Kubernetes core/v1) and Lease (coordination.k8s.io/v1). */
import type { Kind } from '../kind.ts';
import { Type } from '../schema.ts';
import { int32, microTime } from '../schema-builders.ts';

const text = () => Type.Optional(Type.String());

export const namespaceKind: Kind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  categories: [],
  scope: 'Cluster',
  description: 'A scope for the names of objects.',
  printerColumns: [{ name: 'Status', jsonPath: '.status.phase', type: 'string' }],
  spec: Type.Object({ finalizers: Type.Optional(Type.Array(Type.String())) }),
  status: Type.Object({
    phase: text(),
    conditions: Type.Optional(
      Type.Array(
        Type.Object({
          type: Type.String(),
          status: Type.String(),
          lastTransitionTime: text(),
          reason: text(),
          message: text(),
        }),
      ),
    ),
  }),
};

/** The namespaces that always exist and cannot be deleted. */
export const firstNamespaces: readonly string[] = ['default', 'kube-system', 'tinkerbell'];

export const leaseKind: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  shortNames: [],
  categories: [],
  description: 'A lock that one client holds at a time, with its holder and expiry.',
  printerColumns: [{ name: 'Holder', jsonPath: '.spec.holderIdentity', type: 'string' }],
  spec: Type.Object({
    acquireTime: Type.Optional(microTime()),
    holderIdentity: text(),
    leaseDurationSeconds: Type.Optional(int32({ minimum: 1 })),
    leaseTransitions: Type.Optional(int32({ minimum: 0 })),
    preferredHolder: text(),
    renewTime: Type.Optional(microTime()),
    strategy: text(),
  }),
};
