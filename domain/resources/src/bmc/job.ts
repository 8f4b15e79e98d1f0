import { Type, type Static } from '../schema.ts';
import { BmcAction } from './action.ts';
import { progressFields } from './conditions.ts';
import { described } from '../schema-builders.ts';

export const JobSpec = described(
  'The BMC to control, and the operations to run on it.',
  Type.Object({
    machineRef: described(
      'The Machine (bmc.tinkerbell.org) that all tasks of the Job run on.',
      Type.Object({
        name: described('Name of the Machine.', Type.String()),
        namespace: described('Namespace of the Machine.', Type.String()),
      }),
    ),
    tasks: described(
      'Operations, run in sequence. The first failure ends the Job.',
      Type.Array(BmcAction, { minItems: 1 }),
    ),
  }),
);
export type JobSpec = Static<typeof JobSpec>;

export const JobStatus = described(
  'Observed state of the Job, written by the BMC controller.',
  Type.Object(progressFields('Job', '`Running`, `Completed` or `Failed`')),
);
export type JobStatus = Static<typeof JobStatus>;
