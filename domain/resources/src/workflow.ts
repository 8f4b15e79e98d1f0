import { Type, type Static } from './schema.ts';
import { BmcAction } from './bmc/action.ts';
import { dateTime, described, document, int64, mapOf, oneOf, optional, uri } from './schema-builders.ts';
import { WorkflowAction } from './workflow-action.ts';

export const BootOptions = Type.Object({
  bootMode: optional(
    'How the BMC boots the machine before the first action. Default: the BMC does nothing. `iso` is an old name of `isoboot`.',
    oneOf(['netboot', 'isoboot', 'iso', 'customboot']),
  ),
  custombootConfig: optional(
    'BMC operations of the boot mode `customboot`.',
    Type.Object({
      postActions: optional('Run after the last action has succeeded.', Type.Array(BmcAction)),
      preparingActions: optional(
        'Run before the first action. They must boot the machine into the in-memory OS.',
        Type.Array(BmcAction),
      ),
    }),
  ),
  isoURL: optional('URL of the ISO image that the BMC inserts for the boot mode `isoboot`.', uri()),
  toggleAllowNetboot: optional(
    'Sets `allowPXE` of all interfaces of the Hardware to true before the first action and to false after the last one. Default: false.',
    Type.Boolean(),
  ),
});
export type BootOptions = Static<typeof BootOptions>;

export const WorkflowSpec = described(
  'What to run, and on which machine.',
  Type.Object({
    bootOptions: optional('How the machine boots. Requires `hardwareRef`.', BootOptions),
    disabled: optional(
      'Stops the Workflow: the server assigns no action until this is false. Default: false.',
      Type.Boolean(),
    ),
    hardwareMap: optional(
      'Values that the template reads by name, for example `device_1: 52:54:00:12:34:56`.',
      mapOf(document()),
    ),
    hardwareRef: optional('Name of the Hardware, in the namespace of the Workflow.', Type.String()),
    templateRef: optional('Name of the Template, in the namespace of the Workflow.', Type.String()),
  }),
);
export type WorkflowSpec = Static<typeof WorkflowSpec>;

export const WorkflowTask = Type.Object({
  actions: described('Actions of the task, run in sequence.', Type.Array(WorkflowAction)),
  agentID: described('ID of the agent that runs the task: `worker` in the template.', Type.String()),
  environment: optional(
    "Environment variables of all actions of the task. An action's own value takes precedence.",
    mapOf(document()),
  ),
  id: described('ID of the task, generated when the template is rendered.', Type.String()),
  name: described('Name of the task in the template.', Type.String()),
  volumes: optional('Mounts of all actions of the task, for example `/dev:/dev`.', Type.Array(Type.String())),
});
export type WorkflowTask = Static<typeof WorkflowTask>;

export const WorkflowCondition = Type.Object({
  message: optional('Human-readable details, such as the rendering error.', Type.String()),
  reason: optional('Cause of the last change, one word in CamelCase.', Type.String()),
  status: described('Whether the condition holds: `True`, `False` or `Unknown`.', Type.String()),
  time: optional('When the condition was set.', dateTime()),
  type: described(
    'Name of the condition, for example `TemplateRenderedSuccess` or `BootJobComplete`.',
    Type.String(),
  ),
});
export type WorkflowCondition = Static<typeof WorkflowCondition>;

export const CurrentState = Type.Object({
  actionID: optional('ID of the current action.', Type.String()),
  actionName: optional('Name of the current action.', Type.String()),
  agentID: optional('ID of the agent that runs it.', Type.String()),
  state: optional(
    'State of the current action: PENDING, RUNNING, SUCCESS, FAILED or TIMEOUT.',
    Type.String(),
  ),
  taskID: optional('ID of the task that the action belongs to.', Type.String()),
  taskName: optional('Name of the task that the action belongs to.', Type.String()),
});
export type CurrentState = Static<typeof CurrentState>;

/** A record of an operator's operation on the workflow. */
export const WorkflowOperation = Type.Object({
  action: optional('Name of the affected action.', Type.String()),
  task: optional('Name of the affected task.', Type.String()),
  time: described('When the server accepted the operation.', dateTime()),
  verb: described('The operation, for example `pause`, `retry` or `skip`.', Type.String()),
  who: described('User name of the operator.', Type.String()),
  why: optional('Reason given by the operator.', Type.String()),
});
export type WorkflowOperation = Static<typeof WorkflowOperation>;

const BootOptionsStatus = Type.Object({
  allowNetboot: optional(
    'Progress of `toggleAllowNetboot`.',
    Type.Object({
      toggledFalse: optional('`allowPXE` was set to false after the last action.', Type.Boolean()),
      toggledTrue: optional('`allowPXE` was set to true before the first action.', Type.Boolean()),
    }),
  ),
  jobs: optional(
    'BMC Jobs of the Workflow, by name.',
    mapOf(
      Type.Object({
        complete: optional('The Job has completed.', Type.Boolean()),
        existingJobDeleted: optional(
          'A Job of the same name from an earlier run was deleted, or there was none.',
          Type.Boolean(),
        ),
        uid: optional('`metadata.uid` of the Job that was created.', Type.String()),
      }),
    ),
  ),
});

export const WorkflowStatus = described(
  'Progress of the Workflow, written by the server.',
  Type.Object({
    agentID: optional(
      'ID of the agent that gets the next action. The server looks up Workflows by this ID.',
      Type.String(),
    ),
    bootOptions: optional('Progress of `spec.bootOptions`.', BootOptionsStatus),
    conditions: optional(
      'Results of rendering and booting, one entry for each type.',
      Type.Array(WorkflowCondition, { 'x-kubernetes-list-type': 'atomic' }),
    ),
    currentState: optional('The action that runs or is next.', CurrentState),
    globalExecutionStop: optional('When the Workflow times out: its start plus `globalTimeout`.', dateTime()),
    globalTimeout: optional(
      'Maximum duration of the whole Workflow in seconds: `global_timeout` in the template. 0: no limit.',
      int64(),
    ),
    hardwareUID: optional(
      '`metadata.uid` of the Hardware when an action was last assigned. A Hardware that is deleted and created again counts as a new machine.',
      Type.String(),
    ),
    operations: optional(
      'Operations of operators, oldest first. The server keeps the last 50.',
      Type.Array(WorkflowOperation),
    ),
    paused: optional('No action is assigned until an operator resumes the Workflow.', Type.Boolean()),
    state: optional(
      'State of the Workflow: empty before rendering, then PREPARING, PENDING, RUNNING, POST, and SUCCESS, FAILED or TIMEOUT at the end.',
      Type.String(),
    ),
    tasks: optional(
      'Tasks of the rendered template, with the state of every action.',
      Type.Array(WorkflowTask),
    ),
    templateRendering: optional('Result of the rendering: `successful` or `failed`.', Type.String()),
  }),
);
export type WorkflowStatus = Static<typeof WorkflowStatus>;
