/** Applies an event to a workflow, and writes changes that are not a change of state to the timeline. */
import type { Log } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import type { Journal, View } from '@tinkerbell/store-contract';
import {
  applyWorkflowEvent,
  recordStateChange,
  subjectOf,
  type ApplyDeps as StoreDeps,
} from '@tinkerbell/engine-workflow-events';
import type { WorkflowEvent } from '@tinkerbell/workflow';

export interface ApplyDeps extends StoreDeps {
  readonly view: View;
  readonly journal: Journal;
  readonly log: Log;
}

/** Returns true if the workflow changed. A rejected event was overtaken by another one. Throws if the store rejects the write. */
export async function apply(deps: ApplyDeps, workflow: Workflow, event: WorkflowEvent): Promise<boolean> {
  const updated = await applyWorkflowEvent(deps, workflow.metadata, event);
  if (updated.ok) record(deps, updated, event);
  else if (updated.kind === 'unavailable') throw new Error(updated.message);
  return updated.ok;
}

function record(
  deps: ApplyDeps,
  { before, after }: { readonly before: Workflow; readonly after: Workflow },
  event: WorkflowEvent,
): void {
  const message = lineOf(event, after);
  if (message !== undefined)
    deps.journal.append({ source: 'workflow', ...subjectOf(deps.view, after), event: event.kind, message });
  recordStateChange(deps, { before, after, why: whyOf(event, after) });
}

/** Returns the timeline message of an event; undefined for a plain change of state. */
function lineOf(event: WorkflowEvent, after: Workflow): string | undefined {
  switch (event.kind) {
    case 'rendering-failed':
      return `workflow cannot be rendered: ${event.message}`;
    case 'netboot-toggled':
      return `allowPXE of ${after.spec?.hardwareRef ?? ''} set to ${event.allow}`;
    case 'boot-job-neglected':
      return `no BMC service has started job ${event.job}; check that one is running`;
    case 'boot-job-created':
      return `BMC job ${event.job} created`;
    case 'boot-job-started':
      return 'BMC job running';
    case 'boot-job-completed':
      return `BMC job ${event.job} completed`;
    case 'deadline-passed':
      return after.status?.state === 'RUNNING' ? currentMessage(after) : undefined;
    default:
      return undefined;
  }
}

function whyOf(event: WorkflowEvent, after: Workflow): string {
  if ('message' in event) return event.message;
  return event.kind === 'deadline-passed' ? (currentMessage(after) ?? '') : '';
}

/** Describes the result of the current action. */
function currentMessage({ status }: Workflow): string | undefined {
  const id = status?.currentState?.actionID;
  const actions = (status?.tasks ?? []).flatMap((task) => task.actions);
  return actions.find((one) => one.id === id)?.message;
}
