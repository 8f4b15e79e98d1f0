import type { WorkflowStatus } from '@tinkerbell/resources';

/**
 * The state that people see. The stored state keeps upstream's values, so that upstream's clients know them: a workflow that
 * waits for an operator is stored as PENDING or RUNNING, and one that an operator ended as FAILED.
 */
export function shownState(status: WorkflowStatus | undefined): string {
  const { state = '', paused = false, conditions = [] } = status ?? {};
  const isCancelled = conditions.some(({ type, status: value }) => type === 'Cancelled' && value === 'True');
  if (state === 'FAILED' && isCancelled) return 'CANCELLED';
  return paused ? `${state} (paused)` : state;
}
