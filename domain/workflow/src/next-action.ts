/**
 * Selects the action that an agent gets next (upstream tink/server/internal/grpc, GetAction), from one workflow or among several.
 */
import type { Workflow, WorkflowAction, WorkflowStatus, WorkflowTask } from '@tinkerbell/resources';
import { isTerminal } from './state.ts';

export interface ActionPlace {
  readonly task: WorkflowTask;
  readonly action: WorkflowAction;
}

/**
 * Returns the current action: the first one that has not succeeded, in order of tasks and actions. An action is offered only
 * after the success of all earlier ones is in the status. After an action that finally failed, its on-failure actions are next.
 * Returns undefined when all are complete, or when the workflow cannot continue.
 */
export function currentActionOf(status: WorkflowStatus): ActionPlace | undefined {
  if (isTerminal(status.state)) return undefined;
  const first = firstOpenOf(status);
  if (first === undefined || !isTerminal(first.action.state)) return first;
  const next = first.action.onFailure?.find((one) => one.state !== 'SUCCESS');
  return next === undefined || isTerminal(next.state) ? undefined : { task: first.task, action: next };
}

/** Returns the first action that has not succeeded, whatever its state. */
export function firstOpenOf(status: WorkflowStatus): ActionPlace | undefined {
  for (const task of status.tasks ?? []) {
    const action = task.actions.find((one) => one.state !== 'SUCCESS');
    if (action !== undefined) return { task, action };
  }
  return undefined;
}

/**
 * Returns the action that an accepted `action-requested` has assigned, by the status after it. Returns undefined when the request
 * has paused or ended the workflow instead (`onInterrupted`).
 */
export function handedOutOf(status: WorkflowStatus): ActionPlace | undefined {
  const place = status.paused === true ? undefined : currentActionOf(status);
  return (place?.action.attempt ?? 0) > 0 && place?.action.again !== true ? place : undefined;
}

/** Returns the action that the agent was assigned and has not started. Another request for it would change nothing. */
export function assignedTo(status: WorkflowStatus, agentId: string): ActionPlace | undefined {
  const place = handedOutOf(status);
  const isOpen = place?.task.agentID === agentId && (place.action.state ?? 'PENDING') === 'PENDING';
  return isOpen && place.action.notBefore === undefined ? place : undefined;
}

/** Returns the position of an action, by its id and its agent, including on-failure actions. */
export function actionAt(status: WorkflowStatus, agentId: string, actionId: string): ActionPlace | undefined {
  for (const task of status.tasks ?? []) {
    const action = task.agentID === agentId ? actionIn(task.actions, actionId) : undefined;
    if (action !== undefined) return { task, action };
  }
  return undefined;
}

/** Returns the action with that id, including on-failure actions. */
export function actionIn(actions: readonly WorkflowAction[], actionId: string): WorkflowAction | undefined {
  for (const action of actions) {
    const found = action.id === actionId ? action : actionIn(action.onFailure ?? NONE, actionId);
    if (found !== undefined) return found;
  }
  return undefined;
}

const NONE: readonly WorkflowAction[] = [];

/** The reason why an agent gets no action now. Message and code are upstream's. */
export interface NothingToDo {
  readonly code: 'not-found' | 'failed-precondition';
  readonly message: string;
}

export type Choice = { readonly workflow: Workflow } | { readonly nothing: NothingToDo };

/**
 * Returns the workflow that `agentId` works on: the running one, else the oldest pending one that is not paused. `workflows` are
 * those whose status.agentID is this agent, oldest first. (Upstream uses an arbitrary order, so that a finished workflow may hide
 * a pending one.) A paused workflow that runs keeps its agent, because the machine is partly installed.
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
