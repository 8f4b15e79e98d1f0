/** Which action an agent gets next (upstream tink/server/internal/grpc, GetAction), from one workflow or among several. */
import type { Workflow, WorkflowAction, WorkflowStatus, WorkflowTask } from '@tinkerbell/resources';
import { isTerminal } from './state.ts';

export interface ActionPlace {
  readonly task: WorkflowTask;
  readonly action: WorkflowAction;
}

/**
 * The current action: the first one that has not succeeded, in order of tasks and actions. An action is offered
 * only after the success of all before it is in the status. Of one that failed for good, its on-failure actions are next.
 * Undefined when all is done, or nothing may go on.
 */
export function currentActionOf(status: WorkflowStatus): ActionPlace | undefined {
  if (isTerminal(status.state)) return undefined;
  const first = firstOpenOf(status);
  if (first === undefined || !isTerminal(first.action.state)) return first;
  const next = first.action.onFailure?.find((one) => one.state !== 'SUCCESS');
  return next === undefined || isTerminal(next.state) ? undefined : { task: first.task, action: next };
}

/** The first action that has not succeeded, whatever became of it. */
export function firstOpenOf(status: WorkflowStatus): ActionPlace | undefined {
  for (const task of status.tasks ?? []) {
    const action = task.actions.find((one) => one.state !== 'SUCCESS');
    if (action !== undefined) return { task, action };
  }
  return undefined;
}

/**
 * The action that an accepted `action-requested` has handed out, by the status after it. Undefined when the request has
 * paused or ended the workflow instead (`onInterrupted`).
 */
export function handedOutOf(status: WorkflowStatus): ActionPlace | undefined {
  const place = status.paused === true ? undefined : currentActionOf(status);
  return (place?.action.attempt ?? 0) > 0 && place?.action.again !== true ? place : undefined;
}

/** Where an action stands, by its id and its agent; on-failure actions too. */
export function actionAt(status: WorkflowStatus, agentId: string, actionId: string): ActionPlace | undefined {
  for (const task of status.tasks ?? []) {
    if (task.agentID !== agentId) continue;
    const actions = task.actions.flatMap((one) => [one, ...(one.onFailure ?? [])]);
    const action = actions.find((one) => one.id === actionId);
    if (action !== undefined) return { task, action };
  }
  return undefined;
}

/** Why an agent gets nothing now; message and code are upstream's. */
export interface NothingToDo {
  readonly code: 'not-found' | 'failed-precondition';
  readonly message: string;
}

export type Choice = { readonly workflow: Workflow } | { readonly nothing: NothingToDo };

/**
 * The workflow that `agentId` works on: the running one, else the oldest pending one that is not paused. `workflows` are
 * those whose status.agentID is this agent, oldest first. (Upstream takes them in arbitrary order, so that a
 * finished workflow may hide a pending one; ours does not.) A paused workflow that runs keeps its agent: it is in the
 * middle of a machine.
 */
export function chooseWorkflow(workflows: readonly Workflow[], agentId: string): Choice {
  if (workflows.length === 0) return { nothing: { code: 'not-found', message: 'no Workflows found' } };
  const withTasks = workflows.filter((one) => (one.status?.tasks ?? []).length > 0);
  if (withTasks.length === 0)
    return { nothing: { code: 'not-found', message: 'no Tasks found in Workflow' } };
  const pending = withTasks.filter((one) => one.status?.state === 'PENDING');
  const chosen =
    withTasks.find((one) => one.status?.state === 'RUNNING') ??
    pending.find((one) => one.status?.paused !== true) ??
    pending[0];
  if (chosen !== undefined) return offerOf(chosen, agentId);
  const isPreparing = withTasks.some((one) => one.status?.state === 'PREPARING');
  const message = isPreparing ? 'Workflow is in preparing state' : 'Workflow not in pending or running state';
  return { nothing: { code: 'failed-precondition', message } };
}

function offerOf(workflow: Workflow, agentId: string): Choice {
  if (workflow.status?.paused === true)
    return { nothing: { code: 'failed-precondition', message: 'Workflow is paused' } };
  const place = currentActionOf(workflow.status ?? {});
  if (place === undefined) return { nothing: { code: 'not-found', message: 'no Tasks found' } };
  if (place.task.agentID !== agentId)
    return { nothing: { code: 'not-found', message: 'Task not assigned to Agent' } };
  return { workflow };
}
