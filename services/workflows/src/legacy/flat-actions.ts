/** The actions of all tasks in one list, as the legacy worker counts them. */
import type { WorkflowStatus } from '@tinkerbell/resources';
import { isTerminal, type ActionPlace } from '@tinkerbell/workflow';

/** On-failure actions are listed once their action has failed: before, the worker would go on to them after a success. */
export function flatActions(status: WorkflowStatus): readonly ActionPlace[] {
  return (status.tasks ?? []).flatMap((task) =>
    task.actions.flatMap((action) => {
      const hasFailed = isTerminal(action.state) && action.state !== 'SUCCESS';
      const further = hasFailed ? (action.onFailure ?? []) : [];
      return [action, ...further].map((one) => ({ task, action: one }));
    }),
  );
}
