/** The records that services write to the timeline of a workflow. */
import { primaryMacOf, type Workflow } from '@tinkerbell/resources';
import type { Journal, View } from '@tinkerbell/store-contract';

/** The machine and workflow that a journal record concerns. */
export function subjectOf(view: View, workflow: Workflow): { workflow: string; machine?: string } {
  const { namespace, name } = workflow.metadata;
  const machine = primaryMacOf(view.hardwareNamed(namespace, workflow.spec?.hardwareRef ?? ''));
  return { workflow: `${namespace}/${name}`, ...(machine === undefined ? {} : { machine }) };
}

export interface StateChange {
  readonly before: Workflow;
  readonly after: Workflow;
  /** May be empty. */
  readonly why: string;
}

/** Writes nothing when the state is the same. */
export function recordStateChange(
  { journal, view }: { readonly journal: Journal; readonly view: View },
  { before, after, why }: StateChange,
): void {
  const [from, to] = [before.status?.state ?? '', after.status?.state ?? ''];
  if (from === to) return;
  const message = `workflow is ${to || 'new'}${why === '' ? '' : `: ${why}`}`;
  const details = { from, to };
  journal.append({ source: 'workflow', ...subjectOf(view, after), event: 'state-changed', message, details });
}
