import { Type, type Static } from '../schema.ts';
import { Connection } from './connection.ts';
import { dateTime, oneOf } from '../schema-builders.ts';

export const MachineSpec = Type.Object({
  connection: Connection,
});
export type MachineSpec = Static<typeof MachineSpec>;

export const MachineStatus = Type.Object({
  conditions: Type.Optional(
    Type.Array(
      Type.Object({
        lastUpdateTime: Type.Optional(dateTime()),
        message: Type.Optional(Type.String()),
        status: Type.String(),
        type: Type.String(),
      }),
    ),
  ),
  powerState: Type.Optional(oneOf(['on', 'off', 'unknown'])),
});
export type MachineStatus = Static<typeof MachineStatus>;
