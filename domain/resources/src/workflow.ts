import { Type, type Static } from './schema.ts';
import { BmcAction } from './bmc/action.ts';
import { dateTime, int64, mapOf, oneOf, uri } from './schema-builders.ts';

export const BootOptions = Type.Object({
  bootMode: Type.Optional(oneOf(['netboot', 'isoboot', 'iso', 'customboot'])),
  custombootConfig: Type.Optional(
    Type.Object({
      postActions: Type.Optional(Type.Array(BmcAction)),
      preparingActions: Type.Optional(Type.Array(BmcAction)),
    }),
  ),
  isoURL: Type.Optional(uri()),
  toggleAllowNetboot: Type.Optional(Type.Boolean()),
});
export type BootOptions = Static<typeof BootOptions>;

export const WorkflowSpec = Type.Object({
  bootOptions: Type.Optional(BootOptions),
  disabled: Type.Optional(Type.Boolean()),
  hardwareMap: Type.Optional(mapOf(Type.String())),
  hardwareRef: Type.Optional(Type.String()),
  templateRef: Type.Optional(Type.String()),
});
export type WorkflowSpec = Static<typeof WorkflowSpec>;

export const WorkflowAction = Type.Object({
  /** How often the action was handed out. Not in upstream's CRD. */
  attempt: Type.Optional(int64()),
  command: Type.Optional(Type.Array(Type.String())),
  environment: Type.Optional(mapOf(Type.String())),
  executionDuration: Type.Optional(Type.String()),
  executionStart: Type.Optional(dateTime()),
  executionStop: Type.Optional(dateTime()),
  id: Type.String(),
  image: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  namespaces: Type.Optional(
    Type.Object({
      network: Type.Optional(Type.String()),
      pid: Type.Optional(Type.String()),
    }),
  ),
  pid: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  timeout: Type.Optional(int64()),
  volumes: Type.Optional(Type.Array(Type.String())),
});
export type WorkflowAction = Static<typeof WorkflowAction>;

export const WorkflowTask = Type.Object({
  actions: Type.Array(WorkflowAction),
  agentID: Type.String(),
  environment: Type.Optional(mapOf(Type.String())),
  id: Type.String(),
  name: Type.String(),
  volumes: Type.Optional(Type.Array(Type.String())),
});
export type WorkflowTask = Static<typeof WorkflowTask>;

export const WorkflowCondition = Type.Object({
  message: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  status: Type.String(),
  time: Type.Optional(dateTime()),
  type: Type.String(),
});
export type WorkflowCondition = Static<typeof WorkflowCondition>;

export const CurrentState = Type.Object({
  actionID: Type.Optional(Type.String()),
  actionName: Type.Optional(Type.String()),
  agentID: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  taskID: Type.Optional(Type.String()),
  taskName: Type.Optional(Type.String()),
});
export type CurrentState = Static<typeof CurrentState>;

export const WorkflowStatus = Type.Object({
  agentID: Type.Optional(Type.String()),
  bootOptions: Type.Optional(
    Type.Object({
      allowNetboot: Type.Optional(
        Type.Object({
          toggledFalse: Type.Optional(Type.Boolean()),
          toggledTrue: Type.Optional(Type.Boolean()),
        }),
      ),
      jobs: Type.Optional(
        mapOf(
          Type.Object({
            complete: Type.Optional(Type.Boolean()),
            existingJobDeleted: Type.Optional(Type.Boolean()),
            uid: Type.Optional(Type.String()),
          }),
        ),
      ),
    }),
  ),
  conditions: Type.Optional(Type.Array(WorkflowCondition, { 'x-kubernetes-list-type': 'atomic' })),
  currentState: Type.Optional(CurrentState),
  globalExecutionStop: Type.Optional(dateTime()),
  globalTimeout: Type.Optional(int64()),
  state: Type.Optional(Type.String()),
  tasks: Type.Optional(Type.Array(WorkflowTask)),
  templateRendering: Type.Optional(Type.String()),
});
export type WorkflowStatus = Static<typeof WorkflowStatus>;
