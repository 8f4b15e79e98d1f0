import type { WorkflowStatus } from '@tinkerbell/resources';

/**
 * The state as people see it. What is stored keeps upstream's values, so that upstream's clients know them: there a workflow
 * that waits for an operator is PENDING or RUNNING, and one that an operator ended is FAILED.
 */
export function shownState(status: WorkflowStatus | undefined): string {
  const { state = '', paused = false, conditions = [] } = status ?? {};
  const isCancelled = conditions.some(({ type, status: value }) => type === 'Cancelled' && value === 'True');
  if (state === 'FAILED' && isCancelled) return 'CANCELLED';
  return paused ? `${state} (paused)` : state;
}
