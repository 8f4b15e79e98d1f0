/** Which action an agent gets next (upstream tink/server/internal/grpc, GetAction), from one workflow or among several. */
import type { Workflow, WorkflowAction, WorkflowStatus, WorkflowTask } from '@tinkerbell/resources';
import { isTerminal } from './state.ts';

export interface ActionPlace {
  readonly task: WorkflowTask;
  readonly action: WorkflowAction;
}

/**
 * The current action: the first one that has not succeeded, in order of tasks and actions. An action is offered
 * only after the success of all before it is in the status. Undefined when all succeeded, or one failed.
 */
export function currentActionOf(status: WorkflowStatus): ActionPlace | undefined {
  for (const task of status.tasks ?? []) {
    for (const action of task.actions) {
      if (action.state === 'SUCCESS') continue;
      return isTerminal(action.state) ? undefined : { task, action };
    }
  }
  return undefined;
}

/** Where an action stands, by its id and its agent. */
export function actionAt(status: WorkflowStatus, agentId: string, actionId: string): ActionPlace | undefined {
  for (const task of status.tasks ?? []) {
    if (task.agentID !== agentId) continue;
    const action = task.actions.find((one) => one.id === actionId);
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
 * The workflow that `agentId` works on: the running one, else the oldest pending one. `workflows` are those
 * whose status.agentID is this agent, oldest first. (Upstream takes them in arbitrary order, so that a
 * finished workflow may hide a pending one; ours does not.)
 */
export function chooseWorkflow(workflows: readonly Workflow[], agentId: string): Choice {
  if (workflows.length === 0) return { nothing: { code: 'not-found', message: 'no Workflows found' } };
  const withTasks = workflows.filter((one) => (one.status?.tasks ?? []).length > 0);
  if (withTasks.length === 0)
    return { nothing: { code: 'not-found', message: 'no Tasks found in Workflow' } };
  const chosen =
    withTasks.find((one) => one.status?.state === 'RUNNING') ??
    withTasks.find((one) => one.status?.state === 'PENDING');
  if (chosen !== undefined) return offerOf(chosen, agentId);
  const isPreparing = withTasks.some((one) => one.status?.state === 'PREPARING');
  const message = isPreparing ? 'Workflow is in preparing state' : 'Workflow not in pending or running state';
  return { nothing: { code: 'failed-precondition', message } };
}

function offerOf(workflow: Workflow, agentId: string): Choice {
  const place = currentActionOf(workflow.status ?? {});
  if (place === undefined) return { nothing: { code: 'not-found', message: 'no Tasks found' } };
  if (place.task.agentID !== agentId)
    return { nothing: { code: 'not-found', message: 'Task not assigned to Agent' } };
  return { workflow };
}
