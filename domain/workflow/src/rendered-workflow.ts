import type { WorkflowStatus } from '@tinkerbell/resources';

export interface RenderedAction {
  readonly name: string;
  readonly image: string;
  /** Seconds; 0 is none. */
  readonly timeoutSeconds: number;
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: string;
  readonly namespaces?: { readonly network?: string; readonly pid?: string };
}

export interface RenderedTask {
  readonly name: string;
  /** The id of the agent that runs it. */
  readonly worker: string;
  readonly volumes: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly actions: readonly RenderedAction[];
}

/** A Template after rendering: what `domain/template` reads from the rendered text. */
export interface RenderedWorkflow {
  readonly name: string;
  /** Seconds; 0 is none. */
  readonly globalTimeoutSeconds: number;
  readonly tasks: readonly RenderedTask[];
}

/**
 * The first status of a rendered workflow (upstream tink/controller/internal/workflow/template.go): every task
 * and action gets an id from `nextId`, every action is PENDING, the first task's agent is next.
 */
export function statusOf(rendered: RenderedWorkflow, nextId: () => string): WorkflowStatus {
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

type StatusAction = NonNullable<WorkflowStatus['tasks']>[number]['actions'][number];

function actionOf(action: RenderedAction, id: string): StatusAction {
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
    ...(action.namespaces === undefined ? {} : { namespaces: { ...action.namespaces } }),
  };
}

function nonEmptyList(name: string, list: readonly string[]): Record<string, string[]> {
  return list.length === 0 ? {} : { [name]: [...list] };
}

function nonEmptyMap(
  name: string,
  map: Readonly<Record<string, string>>,
): Record<string, Record<string, string>> {
  return Object.keys(map).length === 0 ? {} : { [name]: { ...map } };
}
