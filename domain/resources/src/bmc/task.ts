import { Type, type Static } from '../schema.ts';
import { BmcAction } from './action.ts';
import { progressFields } from './conditions.ts';
import { Connection } from './connection.ts';
import { described, optional } from '../schema-builders.ts';

export const TaskSpec = described(
  'One operation and the BMC that it runs on. The BMC controller creates Tasks from a Job.',
  Type.Object({
    connection: optional('How to reach the BMC, copied from the Machine.', Connection),
    task: described('The operation. Exactly one of its fields is set.', BmcAction),
  }),
);
export type TaskSpec = Static<typeof TaskSpec>;

export const TaskStatus = described(
  'Observed state of the Task, written by the BMC controller.',
  Type.Object(progressFields('Task', '`Completed` or `Failed`')),
);
export type TaskStatus = Static<typeof TaskStatus>;
