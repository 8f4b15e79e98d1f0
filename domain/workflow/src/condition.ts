/** Conditions of a workflow: one of each type, the latest last. */
import type { WorkflowCondition, WorkflowStatus } from '@tinkerbell/resources';
import { timeOf, type TransitionContext } from './step.ts';

export interface ConditionText {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly status?: 'True' | 'False';
}

export function withCondition(
  status: WorkflowStatus,
  { type, reason, message, status: value = 'True' }: ConditionText,
  context: TransitionContext,
): WorkflowStatus {
  const condition: WorkflowCondition = { type, status: value, reason, message, time: timeOf(context) };
  return { ...status, conditions: [...others(status, [type]), condition] };
}

export function withoutConditions(status: WorkflowStatus, types: readonly string[]): WorkflowStatus {
  if (status.conditions === undefined) return status;
  return { ...status, conditions: others(status, types) };
}

export function conditionOf(status: WorkflowStatus, type: string): WorkflowCondition | undefined {
  return status.conditions?.find((one) => one.type === type);
}

function others(status: WorkflowStatus, types: readonly string[]): WorkflowCondition[] {
  return (status.conditions ?? []).filter((one) => !types.includes(one.type));
}
