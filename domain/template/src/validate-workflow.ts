import { byteLength } from '@tinkerbell/go-template';
import type { Path } from '@tinkerbell/yaml';
import { imageReferenceProblem } from './image-reference.ts';
import type { ActionDefinition, TaskDefinition, WorkflowDefinition } from './workflow-definition.ts';

/** Names have 1 to 199 bytes, although upstream's message says 200. */
const NAME_LENGTH_MAX = 199;

export interface WorkflowProblem {
  readonly message: string;
  readonly path: Path;
}

/** Returns the first error in a workflow, in upstream's order and words. */
export function workflowProblem(workflow: WorkflowDefinition): WorkflowProblem | undefined {
  const name = nameProblem(workflow.name, ['name']);
  if (name !== undefined) return name;
  if (workflow.tasks.length === 0) {
    return { message: 'template must have at least one task defined', path: ['tasks'] };
  }
  const seen = new Set<string>();
  for (const [i, task] of workflow.tasks.entries()) {
    const problem = taskProblem(task, ['tasks', i], seen);
    if (problem !== undefined) return problem;
    seen.add(task.name);
  }
  return undefined;
}

/**
 * Returns the first task without an agent. Upstream checks this after everything else. Upstream shows all
 * template data in the parentheses. User data must not be in a status, so only the task is named here.
 */
export function workerProblem(workflow: WorkflowDefinition): WorkflowProblem | undefined {
  const i = workflow.tasks.findIndex((task) => task.worker === '');
  if (i < 0) return undefined;
  const message = `failed to render template, empty hardware address (task ${workflow.tasks[i]?.name ?? ''})`;
  return { message, path: ['tasks', i, 'worker'] };
}

function taskProblem(
  task: TaskDefinition,
  path: Path,
  seen: ReadonlySet<string>,
): WorkflowProblem | undefined {
  const name = nameProblem(task.name, [...path, 'name']);
  if (name !== undefined) return name;
  if (seen.has(task.name)) {
    return {
      message: `two tasks in a template cannot have same name (${task.name})`,
      path: [...path, 'name'],
    };
  }
  return actionsProblem(task, path);
}

function actionsProblem(task: TaskDefinition, path: Path): WorkflowProblem | undefined {
  return listProblem(task.actions, [...path, 'actions'], true);
}

function listProblem(
  actions: readonly ActionDefinition[],
  path: Path,
  mayHaveOnFailure: boolean,
): WorkflowProblem | undefined {
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    const at = [...path, i];
    const problem = actionProblem(action, at, seen) ?? onFailureProblem(action, at, mayHaveOnFailure);
    if (problem !== undefined) return problem;
    seen.add(action.name);
  }
  return undefined;
}

function actionProblem(
  action: ActionDefinition,
  at: Path,
  seen: ReadonlySet<string>,
): WorkflowProblem | undefined {
  const name = nameProblem(action.name, [...at, 'name']);
  if (name !== undefined) return name;
  const image = imageReferenceProblem(action.image);
  if (image !== undefined) {
    return { message: `invalid action image (${action.image}): ${image}`, path: [...at, 'image'] };
  }
  if (!seen.has(action.name)) return undefined;
  return { message: `two actions in a task cannot have same name: ${action.name}`, path: [...at, 'name'] };
}

function onFailureProblem(
  { onFailure = [] }: ActionDefinition,
  at: Path,
  mayHaveOnFailure: boolean,
): WorkflowProblem | undefined {
  const path = [...at, 'on-failure'];
  if (mayHaveOnFailure || onFailure.length === 0) return listProblem(onFailure, path, false);
  return { message: 'an on-failure action cannot have on-failure actions itself', path };
}

function nameProblem(name: string, path: Path): WorkflowProblem | undefined {
  const length = byteLength(name);
  if (length > 0 && length <= NAME_LENGTH_MAX) return undefined;
  return { message: `name cannot be empty or have more than 200 characters: ${name}`, path };
}
