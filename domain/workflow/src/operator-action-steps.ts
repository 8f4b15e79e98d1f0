/** The operator's verbs that concern one action: skip, breakpoint, edit. */
import { imageReferenceProblem } from '@tinkerbell/template';
import type { WorkflowStatus } from '@tinkerbell/resources';
import { definedFields, withAction, withCurrent, type ActionFields } from './action-change.ts';
import { conditionOf, withoutConditions } from './condition.ts';
import { advance, pauseAtBreakpoint } from './execution-steps.ts';
import { currentActionOf, firstOpenOf, type ActionPlace } from './next-action.ts';
import { byWhom, find, operationOf, recorded } from './operation.ts';
import { resumed } from './operator-steps.ts';
import type { ActionEdit } from './operator-event.ts';
import type { Reason } from './reason.ts';
import { isTerminal } from './state.ts';
import { accept, refuse, timeOf, type EventOf, type Transition, type TransitionContext } from './step.ts';

/** When a failed action is skipped, its workflow continues. */
export function skip(status: WorkflowStatus, event: EventOf<'skip'>, context: TransitionContext): Transition {
  const place = find(status, event);
  if (typeof place === 'string') return refuse(place);
  if (place.action.state === 'SUCCESS') return refuse('already-succeeded');
  if (place.action.state === 'RUNNING' || hasOnFailureUnderWay(status, place))
    return refuse('already-started');
  const fields: ActionFields = {
    state: 'SUCCESS',
    again: undefined,
    notBefore: undefined,
    executionStop: timeOf(context),
    message: byWhom('skipped', event),
  };
  const skipped = recorded(withAction(status, place, fields), operationOf(event, context, place));
  return accept(afterSkip(status, { skipped, place }, context));
}

function hasOnFailureUnderWay(status: WorkflowStatus, { action }: ActionPlace): boolean {
  const current = currentActionOf(status)?.action.id;
  return action.onFailure?.some((one) => one.id === current) === true;
}

/** The action that was skipped, and the workflow with the action as it is now. */
interface SkippedAction {
  readonly skipped: WorkflowStatus;
  readonly place: ActionPlace;
}

function afterSkip(
  before: WorkflowStatus,
  { skipped, place }: SkippedAction,
  context: TransitionContext,
): WorkflowStatus {
  const wasFirst = firstOpenOf(before)?.action.id === place.action.id;
  if (!wasFirst || before.state === 'PREPARING') return skipped;
  if (!isTerminal(before.state)) {
    // Answers the question of the interruption, as a resume does.
    const isAnswer = conditionOf(before, 'Interrupted') !== undefined;
    return advance(withCurrent(isAnswer ? resumed(skipped, context) : skipped, place), context);
  }
  if (!isTerminal(place.action.state)) return skipped;
  const { globalExecutionStop: _, ...rest } = withoutConditions(withCurrent(skipped, place), ['Cancelled']);
  return advance({ ...rest, state: 'PENDING' }, context);
}

export function setBreakpoint(
  status: WorkflowStatus,
  event: EventOf<'breakpoint'>,
  context: TransitionContext,
): Transition {
  const place = find(status, event);
  if (typeof place === 'string') return refuse(place);
  const { action } = place;
  if ((action.breakpoint === true) === event.set) return refuse('nothing-to-change');
  const reason = event.set ? whyNotAhead(status, place) : undefined;
  if (reason !== undefined) return refuse(reason);
  const changed = withAction(
    status,
    place,
    event.set ? { ...takenBack(place), breakpoint: true } : { breakpoint: undefined },
  );
  const isNext = event.set && isUnderWay(status) && currentActionOf(status)?.action.id === action.id;
  const stopped = isNext ? pauseAtBreakpoint(changed, place, context) : changed;
  return accept(recorded(stopped, operationOf(event, context, place)));
}

function isUnderWay({ state }: WorkflowStatus): boolean {
  return state === 'PENDING' || state === 'RUNNING';
}

export function edit(status: WorkflowStatus, event: EventOf<'edit'>, context: TransitionContext): Transition {
  const place = find(status, event);
  if (typeof place === 'string') return refuse(place);
  const reason = whyNotAhead(status, place) ?? whyNotValid(event);
  if (reason !== undefined) return refuse(reason);
  const fields = editedFields(event);
  if (Object.keys(fields).length === 0) return refuse('nothing-to-change');
  const changed = withAction(status, place, { ...takenBack(place), ...fields });
  return accept(recorded(changed, operationOf(event, context, place)));
}

/** The actions ahead are those that no agent has started, also those of a finished workflow, and failed ones that wait for a retry. */
function whyNotAhead(status: WorkflowStatus, { action }: ActionPlace): Reason | undefined {
  if (action.state === 'SUCCESS') return 'already-succeeded';
  if (isTerminal(status.state)) return undefined;
  return action.state === 'PENDING' ? undefined : 'already-started';
}

/** An agent that was assigned the action as it was must not start it. It gets the action again, as another attempt. */
function takenBack({ action }: ActionPlace): ActionFields {
  return (action.attempt ?? 0) > 0 && action.state === 'PENDING' ? { again: true } : {};
}

function whyNotValid({ image, timeout }: ActionEdit): Reason | undefined {
  if (image !== undefined && imageReferenceProblem(image) !== undefined) return 'invalid-image';
  if (timeout !== undefined && (!Number.isSafeInteger(timeout) || timeout < 0)) return 'invalid-timeout';
  return undefined;
}

function editedFields(event: ActionEdit): ActionFields {
  const { image, command, environment, volumes, timeout, pid, namespaces } = event;
  return definedFields({
    image,
    command: command === undefined ? undefined : [...command],
    environment: environment === undefined ? undefined : { ...environment },
    volumes: volumes === undefined ? undefined : [...volumes],
    timeout,
    pid,
    namespaces,
  });
}
