import { Type, type Static } from '../schema.ts';
import { OutOfBandAttributes } from './attributes.ts';
import { HardwareMetadata } from './metadata.ts';
import { NetworkInterface } from './network-interface.ts';
import { INTERFACES_MAX } from '../schema-limits.ts';
import { dateTime, document, int64, mapOf, quantity } from '../schema-builders.ts';

export const HardwareSpec = Type.Object({
  agentID: Type.Optional(Type.String()),
  auto: Type.Optional(
    Type.Object({
      enrollmentEnabled: Type.Optional(Type.Boolean({ default: false })),
    }),
  ),
  bmcRef: Type.Optional(
    Type.Object(
      {
        apiGroup: Type.Optional(Type.String()),
        kind: Type.String(),
        name: Type.String(),
      },
      { 'x-kubernetes-map-type': 'atomic' },
    ),
  ),
  disks: Type.Optional(
    Type.Array(
      Type.Object({
        device: Type.Optional(Type.String()),
      }),
    ),
  ),
  interfaces: Type.Optional(Type.Array(NetworkInterface, { maxItems: INTERFACES_MAX })),
  metadata: Type.Optional(HardwareMetadata),
  references: Type.Optional(
    mapOf(
      Type.Object({
        group: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
        namespace: Type.Optional(Type.String()),
        resource: Type.Optional(Type.String()),
        version: Type.Optional(Type.String()),
      }),
    ),
  ),
  resources: Type.Optional(mapOf(quantity())),
  tinkVersion: Type.Optional(int64()),
  userData: Type.Optional(document()),
  vendorData: Type.Optional(document()),
});
export type HardwareSpec = Static<typeof HardwareSpec>;

/** Kubernetes' own shape (metav1.Condition), as far as it is written here. */
export const HardwareCondition = Type.Object({
  lastTransitionTime: Type.Optional(dateTime()),
  message: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  status: Type.String(),
  type: Type.String(),
});
export type HardwareCondition = Static<typeof HardwareCondition>;

export const HardwareStatus = Type.Object({
  attributes: Type.Optional(
    Type.Object({
      outOfBand: Type.Optional(OutOfBandAttributes),
    }),
  ),
  conditions: Type.Optional(Type.Array(HardwareCondition, { 'x-kubernetes-list-type': 'atomic' })),
  state: Type.Optional(Type.String()),
});
export type HardwareStatus = Static<typeof HardwareStatus>;
