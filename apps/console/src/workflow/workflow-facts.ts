/** What pages say about a workflow. Pure. */
import type { Workflow, WorkflowAction, WorkflowTask } from '@tinkerbell/resources';
import { shownState } from '@tinkerbell/workflow/shown-state';

/** The state that people see, as `tink get workflows` shows it. */
export function stateOf(workflow: Workflow): string {
  return shownState(workflow.status) || 'PENDING';
}

export function isEnded(workflow: Workflow): boolean {
  return ['SUCCESS', 'FAILED', 'TIMEOUT'].includes(workflow.status?.state ?? '');
}

export function needsPerson(workflow: Workflow): boolean {
  const { state = '', paused = false, templateRendering = '' } = workflow.status ?? {};
  return state === 'FAILED' || state === 'TIMEOUT' || paused || templateRendering === 'failed';
}

export interface PlacedAction {
  readonly task: WorkflowTask;
  readonly action: WorkflowAction;
  /** `task/action` if the name alone is ambiguous. */
  readonly words: string;
}

export function actionsOf(workflow: Workflow): readonly PlacedAction[] {
  const all = (workflow.status?.tasks ?? []).flatMap((task) =>
    task.actions.map((action) => ({ task, action })),
  );
  return all.map(({ task, action }) => {
    const name = action.name ?? action.id;
    const isAmbiguous = all.filter((other) => other.action.name === action.name).length > 1;
    return { task, action, words: isAmbiguous ? `${task.name}/${name}` : name };
  });
}

export interface Progress {
  readonly done: number;
  readonly all: number;
}

export function progressOf(workflow: Workflow): Progress {
  const actions = actionsOf(workflow);
  return { done: actions.filter(({ action }) => action.state === 'SUCCESS').length, all: actions.length };
}

/** Why it needs a person, in a sentence. */
export function troubleOf(workflow: Workflow): string {
  const failed = actionsOf(workflow).find(
    ({ action }) => action.state === 'FAILED' || action.state === 'TIMEOUT',
  );
  if (failed !== undefined)
    return `${failed.words}: ${failed.action.message ?? failed.action.state?.toLowerCase() ?? ''}`;
  const condition = (workflow.status?.conditions ?? []).find(
    ({ status, type, message }) =>
      message !== undefined && (status === 'False' || /Failed|Cancelled/.test(type)),
  );
  if (condition?.message !== undefined) return condition.message;
  return workflow.status?.paused === true ? 'it is paused' : '';
}
