import type { WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import type { ActionDefinition, WorkflowDefinition } from '@tinkerbell/template';
import { definedFields, isFalse } from './action-change.ts';
import { firstOpenOf } from './next-action.ts';

/**
 * Returns the first status of a rendered workflow (upstream tink/controller/internal/workflow/template.go). Every task and action
 * gets an id from `nextId`, every action is PENDING, and the first task's agent is next. An action whose `if` is false has
 * succeeded from the start.
 */
export function statusOf(rendered: WorkflowDefinition, nextId: () => string): WorkflowStatus {
  const tasks = rendered.tasks.map((task) => ({
    id: nextId(),
    name: task.name,
    agentID: task.worker,
    actions: task.actions.map((action) => actionOf(action, nextId)),
    ...nonEmptyList('volumes', task.volumes),
    ...nonEmptyMap('environment', task.environment),
  }));
  return {
    agentID: firstOpenOf({ tasks })?.task.agentID ?? rendered.tasks[0]?.worker ?? '',
    globalTimeout: rendered.globalTimeoutSeconds,
    tasks,
  };
}

function actionOf(action: ActionDefinition, nextId: () => string): WorkflowAction {
  return {
    id: nextId(),
    name: action.name,
    image: action.image,
    timeout: action.timeoutSeconds,
    state: 'PENDING',
    ...nonEmptyList('command', action.command),
    ...nonEmptyList('volumes', action.volumes),
    ...nonEmptyMap('environment', action.environment),
    ...(action.pid === '' ? {} : { pid: action.pid }),
    ...namespacesOf(action),
    ...extensionsOf(action, nextId),
  };
}

function extensionsOf(definition: ActionDefinition, nextId: () => string): Partial<WorkflowAction> {
  const { retries, backoffSeconds, onInterrupted, onFailure = [] } = definition;
  const isSkipped = isFalse(definition.if);
  return definedFields({
    retries,
    backoff: backoffSeconds,
    onInterrupted,
    if: definition.if,
    ...(isSkipped ? { state: 'SUCCESS', message: 'skipped: if is false' } : {}),
    ...(onFailure.length === 0 ? {} : { onFailure: onFailure.map((one) => actionOf(one, nextId)) }),
  });
}

function nonEmptyList(name: string, list: readonly string[]): Record<string, string[]> {
  return list.length === 0 ? {} : { [name]: [...list] };
}

function nonEmptyMap(name: string, map: ReadonlyMap<string, string>): Record<string, Record<string, string>> {
  return map.size === 0 ? {} : { [name]: Object.fromEntries(map) };
}

function namespacesOf({
  namespaces: { network, pid },
}: ActionDefinition): Pick<WorkflowAction, 'namespaces'> {
  if (network === '' && pid === '') return {};
  return { namespaces: { ...(network === '' ? {} : { network }), ...(pid === '' ? {} : { pid }) } };
}
