import { Type, type Static } from '../schema.ts';
import { BmcAction } from './action.ts';
import { dateTime } from '../schema-builders.ts';

export const JobSpec = Type.Object({
  machineRef: Type.Object({
    name: Type.String(),
    namespace: Type.String(),
  }),
  tasks: Type.Array(BmcAction, { minItems: 1 }),
});
export type JobSpec = Static<typeof JobSpec>;

export const JobStatus = Type.Object({
  completionTime: Type.Optional(dateTime()),
  conditions: Type.Optional(
    Type.Array(
      Type.Object({
        message: Type.Optional(Type.String()),
        status: Type.String(),
        type: Type.String(),
      }),
    ),
  ),
  startTime: Type.Optional(dateTime()),
});
export type JobStatus = Static<typeof JobStatus>;
