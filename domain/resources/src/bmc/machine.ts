import { Type, type Static } from '../schema.ts';
import { Connection } from './connection.ts';
import { dateTime, described, oneOf, optional } from '../schema-builders.ts';

export const MachineSpec = described(
  'The BMC and how to reach it.',
  Type.Object({
    connection: described('Address, credentials and protocol settings of the BMC.', Connection),
  }),
);
export type MachineSpec = Static<typeof MachineSpec>;

export const MachineStatus = described(
  'Observed state of the BMC, written by the BMC controller.',
  Type.Object({
    conditions: optional(
      'Health of the connection, one entry for each type.',
      Type.Array(
        Type.Object({
          lastUpdateTime: optional('When `status` last changed.', dateTime()),
          message: optional('Human-readable details, such as why the login failed.', Type.String()),
          status: described('Whether the condition holds: `True` or `False`.', Type.String()),
          type: described(
            'Name of the condition. `Contactable`: the controller can log in to the BMC. `InventoryCollected`: it could read the parts. `CredentialsRotated`: the BMC has a new password.',
            Type.String(),
          ),
        }),
      ),
    ),
    powerState: optional(
      'Power state at the last check. `unknown`: the BMC did not answer or reported something else.',
      oneOf(['on', 'off', 'unknown']),
    ),
  }),
);
export type MachineStatus = Static<typeof MachineStatus>;
