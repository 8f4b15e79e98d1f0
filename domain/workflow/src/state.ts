/** Workflow and action states, as upstream writes them (upstream api/v1alpha1/tinkerbell/workflow.go). */
export const workflowStates = [
  '',
  'PREPARING',
  'PENDING',
  'RUNNING',
  'POST',
  'SUCCESS',
  'FAILED',
  'TIMEOUT',
] as const;
export type WorkflowState = (typeof workflowStates)[number];

export const actionStates = ['PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'TIMEOUT'] as const;
export type ActionState = (typeof actionStates)[number];

const terminalStates: readonly string[] = ['SUCCESS', 'FAILED', 'TIMEOUT'];

/** True for states that only an operator changes. */
export function isTerminal(state: string | undefined): boolean {
  return state !== undefined && terminalStates.includes(state);
}

/** Parses a stored state. An unknown one, such as the legacy `STATE_PENDING`, counts as not yet rendered. */
export function workflowStateOf(state: string | undefined): WorkflowState {
  return workflowStates.find((one) => one === state) ?? '';
}
