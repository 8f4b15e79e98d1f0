/** Changes one action of a status. */
import type { WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import { actionIn, type ActionPlace } from './next-action.ts';

/** A field that is undefined is removed. */
export type ActionFields = { readonly [Field in keyof WorkflowAction]?: WorkflowAction[Field] | undefined };

/** Returns the status with one action changed, wherever the action is. */
export function withAction(status: WorkflowStatus, place: ActionPlace, fields: ActionFields): WorkflowStatus {
  const change = (action: WorkflowAction): WorkflowAction => {
    if (action.id === place.action.id) return changed(action, fields);
    if (!action.onFailure?.some((one) => one.id === place.action.id)) return action;
    return { ...action, onFailure: action.onFailure.map(change) };
  };
  const tasks = (status.tasks ?? []).map((task) =>
    task.id === place.task.id ? { ...task, actions: task.actions.map(change) } : task,
  );
  return { ...status, tasks };
}

function changed(action: WorkflowAction, { id = action.id, ...fields }: ActionFields): WorkflowAction {
  return { ...definedFields({ ...action, ...fields }), id };
}

/** Returns the fields without those that are undefined. */
export function definedFields(fields: ActionFields): Partial<WorkflowAction>;
// TypeScript does not follow the types of fields through their entries.
export function definedFields(fields: Readonly<Record<string, unknown>>): object {
  const defined: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) defined[name] = fields[name];
  return defined;
}

/** Returns the status with that action shown as the current one. */
export function withCurrent(status: WorkflowStatus, { task, action: { id } }: ActionPlace): WorkflowStatus {
  const action = status.tasks?.map(({ actions }) => actionIn(actions, id)).find((one) => one !== undefined);
  const currentState = {
    agentID: task.agentID,
    taskID: task.id,
    taskName: task.name,
    actionID: id,
    actionName: action?.name ?? '',
    state: action?.state ?? 'PENDING',
  };
  return { ...status, currentState };
}

/**
 * Returns an action as before its first attempt, except for the number of attempts. An action whose condition is false stays
 * skipped.
 */
export function renewed(action: WorkflowAction): WorkflowAction {
  if (isFalse(action.if)) return action;
  return changed(action, {
    state: 'PENDING',
    again: (action.attempt ?? 0) > 0 ? true : undefined,
    deadline: undefined,
    executionDuration: undefined,
    executionStart: undefined,
    executionStop: undefined,
    message: undefined,
    notBefore: undefined,
    onFailure: action.onFailure?.map(renewed),
    retried: undefined,
  });
}

/** The values that a template's `if` treats as false. */
export function isFalse(condition: string | undefined): boolean {
  return condition !== undefined && ['', 'false', '0', 'no'].includes(condition.trim().toLowerCase());
}
