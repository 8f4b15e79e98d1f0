import { Type, type Static } from '../schema.ts';
import { OutOfBandAttributes } from './attributes.ts';
import { HardwareMetadata } from './metadata.ts';
import { NetworkInterface } from './network-interface.ts';
import { int64, mapOf, quantity } from '../schema-builders.ts';

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
  interfaces: Type.Optional(Type.Array(NetworkInterface)),
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
  userData: Type.Optional(Type.String()),
  vendorData: Type.Optional(Type.String()),
});
export type HardwareSpec = Static<typeof HardwareSpec>;

export const HardwareStatus = Type.Object({
  attributes: Type.Optional(
    Type.Object({
      outOfBand: Type.Optional(OutOfBandAttributes),
    }),
  ),
  state: Type.Optional(Type.String()),
});
export type HardwareStatus = Static<typeof HardwareStatus>;
