import { Type, type Static } from '../schema.ts';
import { BmcAction } from './action.ts';
import { Connection } from './connection.ts';
import { dateTime } from '../schema-builders.ts';

export const TaskSpec = Type.Object({
  connection: Type.Optional(Connection),
  task: BmcAction,
});
export type TaskSpec = Static<typeof TaskSpec>;

export const TaskStatus = Type.Object({
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
export type TaskStatus = Static<typeof TaskStatus>;
