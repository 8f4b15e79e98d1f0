/** Lists the actions of all tasks, as the legacy worker counts them. */
import type { WorkflowStatus } from '@tinkerbell/resources';
import { isTerminal, type ActionPlace } from '@tinkerbell/workflow';

/**
 * On-failure actions are listed only after their action has failed. Otherwise the worker would continue with them after a
 * success.
 */
export function flatActions(status: WorkflowStatus): readonly ActionPlace[] {
  return (status.tasks ?? []).flatMap((task) =>
    task.actions.flatMap((action) => {
      const hasFailed = isTerminal(action.state) && action.state !== 'SUCCESS';
      const further = hasFailed ? (action.onFailure ?? []) : [];
      return [action, ...further].map((one) => ({ task, action: one }));
    }),
  );
}
