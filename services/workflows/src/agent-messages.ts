/** Converts between protobuf messages and domain values. */
import { create } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import {
  ActionResponseSchema,
  NamespacesSchema,
  StateType,
  type ActionResponse,
  type ActionStatusRequest,
  type Namespaces,
} from '@tinkerbell/api/agent';
import type { Workflow, WorkflowAction } from '@tinkerbell/resources';
import type { NamespacedName } from '@tinkerbell/store-contract';
import type { ActionPlace, ActionReport, ActionState } from '@tinkerbell/workflow';

/**
 * Volumes of the task come first. The action's environment overrides the task's, and `KEY=VALUE` is sorted by bytes (upstream
 * GetAction). An action without a timeout gets what is left of the workflow's: 0 means unlimited to our agent, while for
 * upstream's agent it expires at once.
 */
export function actionResponse(
  workflow: Workflow,
  { task, action }: ActionPlace,
  nowMs: number,
): ActionResponse {
  return create(ActionResponseSchema, {
    workflowId: `${workflow.metadata.namespace}/${workflow.metadata.name}`,
    taskId: task.id,
    agentId: task.agentID,
    actionId: action.id,
    name: action.name ?? '',
    image: action.image ?? '',
    timeout: BigInt(action.timeout || secondsLeft(workflow, nowMs)),
    command: [...(action.command ?? [])],
    volumes: [...(task.volumes ?? []), ...(action.volumes ?? [])],
    environment: environmentOf({ ...task.environment, ...action.environment }),
    ...namespacesOf(action),
  });
}

/** The remaining time of the workflow: its whole timeout before its first report, and 0 when it has none. */
function secondsLeft({ status }: Workflow, nowMs: number): number {
  const { globalExecutionStop: stop, globalTimeout = 0 } = status ?? {};
  if (stop === undefined) return globalTimeout;
  return Math.max(1, Math.ceil((Date.parse(stop) - nowMs) / 1000));
}

function environmentOf(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted(byBytes);
}

function namespacesOf({ namespaces, pid = '' }: WorkflowAction): { pid: string; namespaces?: Namespaces } {
  if (namespaces === undefined) return { pid };
  const { network = '', pid: pidNamespace = '' } = namespaces;
  return { pid: pidNamespace || pid, namespaces: create(NamespacesSchema, { network, pid: pidNamespace }) };
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const stateNames: Readonly<Record<number, ActionState>> = {
  [StateType.PENDING]: 'PENDING',
  [StateType.RUNNING]: 'RUNNING',
  [StateType.FAILED]: 'FAILED',
  [StateType.TIMEOUT]: 'TIMEOUT',
  [StateType.SUCCESS]: 'SUCCESS',
};

/** Go writes a number in at most 25 characters. */
const DURATION_LENGTH_MAX = 64;

export type ParsedReport =
  | {
      readonly ok: true;
      readonly workflow: NamespacedName;
      readonly report: ActionReport;
    }
  | { readonly ok: false; readonly message: string };

/** The checks and messages of upstream's ReportActionStatus. */
export function parseReport(request: ActionStatusRequest): ParsedReport {
  const [namespace = '', ...name] = request.workflowId.split('/');
  if (request.workflowId === '') return { ok: false, message: 'invalid workflow id' };
  if (request.taskId === '') return { ok: false, message: 'invalid task name' };
  if (request.actionId === '') return { ok: false, message: 'invalid action name' };
  const state = stateNames[request.actionState];
  if (state === undefined) return { ok: false, message: `invalid action state ${request.actionState}` };
  return {
    ok: true,
    workflow: { namespace, name: name.join('/') },
    report: {
      agentId: request.agentId,
      taskId: request.taskId,
      actionId: request.actionId,
      state,
      ...timeField('executionStart', request.executionStart),
      ...timeField('executionStop', request.executionStop),
      executionDuration: request.executionDuration.slice(0, DURATION_LENGTH_MAX),
      message: request.message?.message ?? '',
    },
  };
}

/** Absent for no time, for Go's zero time (year 1) and for times outside the calendar. */
function timeField(name: string, time: Timestamp | undefined): Record<string, string> {
  if (time === undefined || time.seconds <= 0n) return {};
  const date = new Date(Number(time.seconds) * 1000 + Math.floor(time.nanos / 1_000_000));
  return Number.isNaN(date.getTime()) ? {} : { [name]: date.toISOString() };
}
