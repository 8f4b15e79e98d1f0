import type { WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import type { ActionDefinition, WorkflowDefinition } from '@tinkerbell/template';

/**
 * The first status of a rendered workflow (upstream tink/controller/internal/workflow/template.go): every task
 * and action gets an id from `nextId`, every action is PENDING, the first task's agent is next.
 */
export function statusOf(rendered: WorkflowDefinition, nextId: () => string): WorkflowStatus {
  const tasks = rendered.tasks.map((task) => ({
    id: nextId(),
    name: task.name,
    agentID: task.worker,
    actions: task.actions.map((action) => actionOf(action, nextId())),
    ...nonEmptyList('volumes', task.volumes),
    ...nonEmptyMap('environment', task.environment),
  }));
  return {
    agentID: rendered.tasks[0]?.worker ?? '',
    globalTimeout: rendered.globalTimeoutSeconds,
    tasks,
  };
}

function actionOf(action: ActionDefinition, id: string): WorkflowAction {
  return {
    id,
    name: action.name,
    image: action.image,
    timeout: action.timeoutSeconds,
    state: 'PENDING',
    ...nonEmptyList('command', action.command),
    ...nonEmptyList('volumes', action.volumes),
    ...nonEmptyMap('environment', action.environment),
    ...(action.pid === '' ? {} : { pid: action.pid }),
    ...namespacesOf(action),
  };
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
