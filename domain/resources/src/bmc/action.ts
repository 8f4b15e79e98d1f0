import { Type, type Static } from '../schema.ts';
import { oneOf } from '../schema-builders.ts';

export const BmcAction = Type.Object(
  {
    bootDevice: Type.Optional(
      Type.Object({
        device: Type.Optional(Type.String()),
        efiBoot: Type.Optional(Type.Boolean()),
        persistent: Type.Optional(Type.Boolean()),
      }),
    ),
    oneTimeBootDeviceAction: Type.Optional(
      Type.Object({
        device: Type.Array(Type.String()),
        efiBoot: Type.Optional(Type.Boolean()),
      }),
    ),
    powerAction: Type.Optional(oneOf(['on', 'off', 'soft', 'status', 'cycle', 'reset'])),
    virtualMediaAction: Type.Optional(
      Type.Object({
        kind: Type.String(),
        mediaURL: Type.Optional(Type.String()),
      }),
    ),
  },
  { maxProperties: 1 },
);
export type BmcAction = Static<typeof BmcAction>;
