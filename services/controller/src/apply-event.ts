/** Lets the state machine decide about a workflow, writes what it decided, and tells the timeline. */
import type { Clock, Log, Random } from '@tinkerbell/platform-contract';
import { primaryMacOf, type Workflow } from '@tinkerbell/resources';
import { updateObject, type Journal, type Store, type View } from '@tinkerbell/store-contract';
import { transition, ulid, type Reason, type WorkflowEvent } from '@tinkerbell/workflow';

export interface ApplyDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export const workflowCollection = 'workflows.tinkerbell.org';

/** True when the workflow was changed; a refused event was overtaken by another. Throws when the store takes no write. */
export async function apply(deps: ApplyDeps, workflow: Workflow, event: WorkflowEvent): Promise<boolean> {
  const { namespace, name } = workflow.metadata;
  const nowMs = deps.clock.nowMs();
  const nextId = (): string => ulid(nowMs, deps.random.bytes(16));
  const updated = await updateObject<Reason>(
    deps.store,
    { collection: workflowCollection, namespace, name },
    (current) => {
      const next = transition((current as Workflow).status ?? {}, event, { nowMs, nextId });
      return next.ok ? { object: { ...current, status: next.status } } : { refusal: next.reason };
    },
  );
  if (updated.ok) record(deps, updated.before as Workflow, updated.after as Workflow, event);
  else if (updated.kind === 'unavailable') throw new Error(updated.message);
  return updated.ok;
}

function record(deps: ApplyDeps, before: Workflow, after: Workflow, event: WorkflowEvent): void {
  const entry = { source: 'workflow', ...subjectOf(deps.view, after) } as const;
  const [from = '', to = ''] = [before.status?.state, after.status?.state];
  const message = lineOf(event, after);
  if (message !== undefined) deps.journal.append({ ...entry, event: event.kind, message });
  if (from === to) return;
  const why = whyOf(event, after);
  deps.journal.append({
    ...entry,
    event: 'state-changed',
    message: `workflow is ${to}${why === '' ? '' : `: ${why}`}`,
    details: { from, to },
  });
}

/** What happened, where that is more than a change of state. */
function lineOf(event: WorkflowEvent, after: Workflow): string | undefined {
  switch (event.kind) {
    case 'rendering-failed':
      return `workflow cannot be rendered: ${event.message}`;
    case 'netboot-toggled':
      return `allowPXE of ${after.spec?.hardwareRef ?? ''} set to ${event.allow}`;
    case 'boot-job-neglected':
      return `no BMC service has taken job ${event.job}; is one running?`;
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

/** What became of the action that is shown as the current one. */
function currentMessage({ status }: Workflow): string | undefined {
  const id = status?.currentState?.actionID;
  const actions = (status?.tasks ?? []).flatMap((task) => task.actions);
  return actions.find((one) => one.id === id)?.message;
}

/** Whom a journal record about a workflow concerns. */
export function subjectOf(view: View, workflow: Workflow): { workflow: string; machine?: string } {
  const { namespace, name } = workflow.metadata;
  const machine = primaryMacOf(view.hardwareNamed(namespace, workflow.spec?.hardwareRef ?? ''));
  return { workflow: `${namespace}/${name}`, ...(machine === undefined ? {} : { machine }) };
}
