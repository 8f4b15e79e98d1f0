import { Type, type Static } from './schema.ts';
import { BmcAction } from './bmc/action.ts';
import { dateTime, document, int64, mapOf, oneOf, uri } from './schema-builders.ts';

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
  hardwareMap: Type.Optional(mapOf(document())),
  hardwareRef: Type.Optional(Type.String()),
  templateRef: Type.Optional(Type.String()),
});
export type WorkflowSpec = Static<typeof WorkflowSpec>;

/** Those that upstream's CRD lacks are listed in crd.test.ts; docs/decisions/0006 and 0008 say what they are for. */
const actionFields = {
  /** The attempt is over: the next hand-out is a new one. */
  again: Type.Optional(Type.Boolean()),
  /** How often the action was handed out. */
  attempt: Type.Optional(int64()),
  /** Seconds before the first retry; each further one waits twice as long. */
  backoff: Type.Optional(int64()),
  /** The workflow pauses before this action is handed out. */
  breakpoint: Type.Optional(Type.Boolean()),
  command: Type.Optional(Type.Array(document())),
  /** When a running action counts as lost, by the server's clock. */
  deadline: Type.Optional(dateTime()),
  environment: Type.Optional(mapOf(document())),
  executionDuration: Type.Optional(Type.String()),
  executionStart: Type.Optional(dateTime()),
  executionStop: Type.Optional(dateTime()),
  id: Type.String(),
  /** The template's condition as rendered; a false one skips the action. */
  if: Type.Optional(Type.String()),
  image: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  namespaces: Type.Optional(
    Type.Object({
      network: Type.Optional(Type.String()),
      pid: Type.Optional(Type.String()),
    }),
  ),
  /** The action is not handed out before, by the server's clock. */
  notBefore: Type.Optional(dateTime()),
  onInterrupted: Type.Optional(oneOf(['retry', 'fail', 'ask'])),
  pid: Type.Optional(Type.String()),
  /** Failures after which the action was tried again. */
  retried: Type.Optional(int64()),
  /** Failures after which the action shall be tried again. */
  retries: Type.Optional(int64()),
  state: Type.Optional(Type.String()),
  timeout: Type.Optional(int64()),
  volumes: Type.Optional(Type.Array(Type.String())),
};

export const WorkflowAction = Type.Object({
  ...actionFields,
  /** Run by the same agent after the action has failed for good. */
  onFailure: Type.Optional(Type.Array(Type.Object(actionFields))),
});
export type WorkflowAction = Static<typeof WorkflowAction>;

export const WorkflowTask = Type.Object({
  actions: Type.Array(WorkflowAction),
  agentID: Type.String(),
  environment: Type.Optional(mapOf(document())),
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

/** What an operator did to the workflow. */
export const WorkflowOperation = Type.Object({
  action: Type.Optional(Type.String()),
  task: Type.Optional(Type.String()),
  time: dateTime(),
  verb: Type.String(),
  who: Type.String(),
  why: Type.Optional(Type.String()),
});
export type WorkflowOperation = Static<typeof WorkflowOperation>;

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
  /** metadata.uid of the Hardware that was named when an action was handed out last. */
  hardwareUID: Type.Optional(Type.String()),
  /** The last 50, oldest first. */
  operations: Type.Optional(Type.Array(WorkflowOperation)),
  /** Nothing more is handed out until an operator resumes. */
  paused: Type.Optional(Type.Boolean()),
  state: Type.Optional(Type.String()),
  tasks: Type.Optional(Type.Array(WorkflowTask)),
  templateRendering: Type.Optional(Type.String()),
});
export type WorkflowStatus = Static<typeof WorkflowStatus>;
