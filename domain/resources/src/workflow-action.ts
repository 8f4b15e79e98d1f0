import { Type, type Static } from './schema.ts';
import { dateTime, described, document, int64, mapOf, oneOf, optional } from './schema-builders.ts';

/** Fields that upstream's CRD lacks are listed in crd.test.ts. docs/decisions/0006 and 0008 describe them. */
const actionFields = {
  again: optional('Whether the attempt is over. The next assignment starts a new one.', Type.Boolean()),
  attempt: optional('Number of times the action was assigned to the agent.', int64()),
  backoff: optional('Seconds before the first retry. The wait doubles with each further retry.', int64()),
  breakpoint: optional('Pauses the Workflow before this action is assigned.', Type.Boolean()),
  command: optional('Command and arguments. Default: the command of the image.', Type.Array(document())),
  deadline: optional(
    'When the running action times out, by the clock of the server. Absent without a `timeout`.',
    dateTime(),
  ),
  environment: optional('Environment variables of the action.', mapOf(document())),
  executionDuration: optional(
    'How long the action ran, as the agent reports it, for example `12s`.',
    Type.String(),
  ),
  executionStart: optional('When the action started, as the agent reports it.', dateTime()),
  executionStop: optional('When the action ended.', dateTime()),
  id: described('ID of the action, generated when the template is rendered.', Type.String()),
  if: optional(
    'Rendered condition from the template. Empty, `false`, `0` or `no` skips the action.',
    Type.String(),
  ),
  image: optional(
    'Container image that the agent runs, for example `quay.io/tinkerbell/actions/image2disk:latest`.',
    Type.String(),
  ),
  message: optional('Human-readable result, such as the error of a failed action.', Type.String()),
  name: optional('Name of the action in the template.', Type.String()),
  namespaces: optional(
    'Linux namespaces of the container.',
    Type.Object({
      network: optional('Network namespace. `host` shares the one of the in-memory OS.', Type.String()),
      pid: optional(
        'Process namespace. `host` shares the one of the in-memory OS, which kexec and reboot require.',
        Type.String(),
      ),
    }),
  ),
  notBefore: optional('When the next retry may start, by the clock of the server.', dateTime()),
  onInterrupted: optional(
    'What to do when the agent restarts during the action: run it again, fail the Workflow, or pause it and ask the operator. Default: `retry`.',
    oneOf(['retry', 'fail', 'ask']),
  ),
  pid: optional('Deprecated: use `namespaces.pid`. `host` shares the process namespace.', Type.String()),
  retried: optional('Number of failures that were followed by a retry.', int64()),
  retries: optional('Number of retries after a failure. Default: 0.', int64()),
  state: optional('State of the action: PENDING, RUNNING, SUCCESS, FAILED or TIMEOUT.', Type.String()),
  timeout: optional('Maximum duration of the action in seconds. 0: no limit.', int64()),
  volumes: optional(
    'Mounts of the container, for example `/dev:/dev` or `/data:/data:ro`.',
    Type.Array(Type.String()),
  ),
};

export const WorkflowAction = Type.Object({
  ...actionFields,
  onFailure: optional(
    'Actions that the same agent runs after this one has failed and has no retries left.',
    Type.Array(Type.Object(actionFields)),
  ),
});
export type WorkflowAction = Static<typeof WorkflowAction>;
