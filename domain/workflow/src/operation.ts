/** The record of the operators' operations, and the actions that they name. */
import type { WorkflowOperation, WorkflowStatus } from '@tinkerbell/resources';
import type { ActionPlace } from './next-action.ts';
import type { ActionName, OperatorEvent } from './operator-event.ts';
import { timeOf, type TransitionContext } from './step.ts';

/** A status is written completely with every report, so its record of operations is limited. */
const OPERATIONS_KEPT = 50;
const WHO_LENGTH_MAX = 256;
const WHY_LENGTH_MAX = 1024;

/** Returns the status with the operation appended to its operations. */
export function recorded(status: WorkflowStatus, operation: WorkflowOperation): WorkflowStatus {
  return { ...status, operations: [...(status.operations ?? []), operation].slice(-OPERATIONS_KEPT) };
}

/** Returns the record of an operator's verb, with the action that it concerns. */
export function operationOf(
  event: OperatorEvent,
  context: TransitionContext,
  place?: ActionPlace,
): WorkflowOperation {
  const named =
    place === undefined ? nameIn(event) : { task: place.task.name, action: place.action.name ?? '' };
  return {
    verb: event.kind,
    who: event.who.slice(0, WHO_LENGTH_MAX),
    ...(event.why === '' ? {} : { why: event.why.slice(0, WHY_LENGTH_MAX) }),
    time: timeOf(context),
    ...named,
  };
}

function nameIn(event: OperatorEvent): { task?: string; action?: string } {
  if (event.kind !== 'retry' || typeof event.from === 'string') return {};
  const { task, action } = event.from;
  return { ...(task === undefined ? {} : { task }), action };
}

/** `paused by anna: the switch is being replaced` */
export function byWhom(done: string, { who, why }: OperatorEvent): string {
  const reason = why === '' ? '' : `: ${why.slice(0, WHY_LENGTH_MAX)}`;
  return `${done} by ${who.slice(0, WHO_LENGTH_MAX)}${reason}`;
}

/** Returns the action that an operator names by name or id. On-failure actions have no name of their own here. */
export function find(
  status: WorkflowStatus,
  { task: taskName, action: actionName }: ActionName,
): ActionPlace | 'no-such-action' | 'ambiguous-action' {
  const places = (status.tasks ?? [])
    .filter((task) => taskName === undefined || task.name === taskName || task.id === taskName)
    .flatMap((task) => task.actions.map((action) => ({ task, action })))
    .filter(({ action }) => action.name === actionName || action.id === actionName);
  const [place, other] = places;
  if (place === undefined) return 'no-such-action';
  return other === undefined ? place : 'ambiguous-action';
}
