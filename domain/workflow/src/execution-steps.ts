/** The steps from the first assignment of an action to the end of the last one. */
import type { WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import { withAction, withCurrent, type ActionFields } from './action-change.ts';
import { withCondition, withoutConditions } from './condition.ts';
import { actionAt, currentActionOf, firstOpenOf, type ActionPlace } from './next-action.ts';
import { isTerminal } from './state.ts';
import {
  accept,
  hasPassed,
  refuse,
  timeAfter,
  timeOf,
  type EventOf,
  type Transition,
  type TransitionContext,
} from './step.ts';

/** How late the report of an action that reached its timeout may be before the action counts as lost. */
const REPORT_GRACE_SECONDS = 30;
const BACKOFF_DEFAULT_SECONDS = 5;
const BACKOFF_MAX_SECONDS = 300;

/**
 * Records that the current action is assigned to its agent. The record must be durable before the agent gets the action. An
 * action that was already running was interrupted: by default it is served again, and its attempt increases.
 */
export function assignAction(
  before: WorkflowStatus,
  event: EventOf<'action-requested'>,
  context: TransitionContext,
): Transition {
  const status = onHardware(before, event.hardwareUid);
  if (status.paused === true) return refuse('paused');
  const place = currentActionOf(status);
  if (place === undefined) return refuse('no-next-action');
  if (place.task.agentID !== event.agentId) return refuse('not-this-agent');
  const { action } = place;
  if (action.notBefore !== undefined && !hasPassed(action.notBefore, context)) return refuse('backing-off');
  if (action.state === 'RUNNING') return accept(interrupted(status, place, context));
  const attempt = action.attempt ?? 0;
  const isOpen = attempt > 0 && action.again !== true;
  return accept(serve(status, place, { attempt: isOpen ? attempt : attempt + 1 }));
}

/** The workflow belongs to the machine that runs it. A Hardware created again under the same name is another machine. */
function onHardware(status: WorkflowStatus, uid: string | undefined): WorkflowStatus {
  return uid === undefined || uid === status.hardwareUID ? status : { ...status, hardwareUID: uid };
}

function serve(status: WorkflowStatus, place: ActionPlace, fields: ActionFields): WorkflowStatus {
  const cleared = { again: undefined, notBefore: undefined };
  return withCurrent(withAction(status, place, { ...cleared, ...fields }), place);
}

function interrupted(status: WorkflowStatus, place: ActionPlace, context: TransitionContext): WorkflowStatus {
  const { action } = place;
  const message = 'interrupted: the agent requested work again while the action was running';
  if (action.onInterrupted === 'fail') {
    const fields = { state: 'FAILED', executionStop: timeOf(context), message };
    return finish(status, { place, fields }, context);
  }
  if (action.onInterrupted === 'ask') {
    const waiting = withAction(status, place, {
      state: 'PENDING',
      again: true,
      deadline: undefined,
      message,
    });
    const text = `${nameOf(place)} was interrupted; resume runs it again, skip skips it, cancel ends the workflow`;
    const told = { type: 'Interrupted', reason: 'AgentRestarted', message: text };
    return withCondition({ ...withCurrent(waiting, place), paused: true }, told, context);
  }
  return serve(status, place, { attempt: (action.attempt ?? 0) + 1, deadline: deadlineOf(action, context) });
}

export function report(
  status: WorkflowStatus,
  { report: given }: EventOf<'action-reported'>,
  context: TransitionContext,
): Transition {
  const place = actionAt(status, given.agentId, given.actionId);
  if (place === undefined) return refuse('action-not-found');
  const { action } = place;
  const refused = whyRefused(status, place, given);
  if (refused !== undefined) return refuse(refused);
  const started = startClock(status, context);
  const outcome = { place, fields: reportedFields(action, given, context) };
  if (isTerminal(given.state) && given.state !== 'SUCCESS') return accept(fail(started, outcome, context));
  return accept(finish(started, outcome, context));
}

function whyRefused(
  status: WorkflowStatus,
  { task, action }: ActionPlace,
  given: EventOf<'action-reported'>['report'],
): Parameters<typeof refuse>[0] | undefined {
  if (given.taskId !== task.id) return 'another-task';
  if (given.attempt !== undefined && given.attempt < (action.attempt ?? 0)) return 'attempt-over';
  if (action.state === given.state) return 'already-reported';
  if (currentActionOf(status)?.action.id !== action.id || given.state === 'PENDING')
    return 'action-not-current';
  return action.again === true ? 'attempt-over' : undefined;
}

export function reportAfterEnd(
  status: WorkflowStatus,
  { report: given }: EventOf<'action-reported'>,
): Transition {
  const place = actionAt(status, given.agentId, given.actionId);
  if (place === undefined) return refuse('action-not-found');
  if (given.taskId !== place.task.id) return refuse('another-task');
  return refuse(place.action.state === given.state ? 'already-reported' : 'workflow-finished');
}

function reportedFields(
  action: WorkflowAction,
  given: EventOf<'action-reported'>['report'],
  context: TransitionContext,
): ActionFields {
  const isOver = isTerminal(given.state);
  return {
    state: given.state,
    attempt: action.attempt ?? 1,
    executionStart: given.executionStart ?? action.executionStart ?? timeOf(context),
    deadline: isOver ? undefined : deadlineOf(action, context),
    ...(isOver ? { executionStop: given.executionStop ?? timeOf(context) } : {}),
    ...(given.executionDuration ? { executionDuration: given.executionDuration } : {}),
    ...(given.message ? { message: given.message } : {}),
  };
}

/** An action without a timeout has no deadline. */
function deadlineOf({ timeout = 0 }: WorkflowAction, context: TransitionContext): string | undefined {
  return timeout > 0 ? timeAfter(context, (timeout + REPORT_GRACE_SECONDS) * 1000) : undefined;
}

/** The global timeout counts from the first report. 0 means that there is no timeout. (Upstream starts it late or never.) */
function startClock(status: WorkflowStatus, context: TransitionContext): WorkflowStatus {
  const seconds = status.globalTimeout ?? 0;
  if (status.globalExecutionStop !== undefined || seconds <= 0) return status;
  return { ...status, globalExecutionStop: timeAfter(context, seconds * 1000) };
}

/** An action and what has become of it. */
interface ActionOutcome {
  readonly place: ActionPlace;
  readonly fields: ActionFields;
}

/** A failed action is retried while it has retries left. */
function fail(status: WorkflowStatus, outcome: ActionOutcome, context: TransitionContext): WorkflowStatus {
  const { place, fields: ended } = outcome;
  const { retries = 0, retried = 0, backoff = BACKOFF_DEFAULT_SECONDS } = place.action;
  if (retried >= retries) return finish(status, outcome, context);
  const seconds = Math.min(BACKOFF_MAX_SECONDS, backoff * 2 ** Math.min(retried, 30));
  const attempt = ended.attempt ?? place.action.attempt ?? 1;
  const why = ended.message ? `: ${ended.message}` : '';
  const waiting = withAction(status, place, {
    ...ended,
    state: 'PENDING',
    again: true,
    retried: retried + 1,
    notBefore: timeAfter(context, seconds * 1000),
    message: `attempt ${attempt} ended in ${ended.state}${why}; retried after ${seconds} s`,
  });
  return { ...withCurrent(waiting, place), state: 'RUNNING', agentID: place.task.agentID };
}

/** Records the outcome of an action, and advances the workflow to the state that follows. */
function finish(
  status: WorkflowStatus,
  { place, fields }: ActionOutcome,
  context: TransitionContext,
): WorkflowStatus {
  const shown = withCurrent(withAction(status, place, fields), place);
  return fields.state === 'RUNNING'
    ? { ...shown, state: 'RUNNING', agentID: place.task.agentID }
    : advance({ ...shown, state: 'RUNNING' }, context);
}

/** Derives the state of the workflow from its actions. Call it when the current action has ended. */
export function advance(status: WorkflowStatus, context: TransitionContext): WorkflowStatus {
  const stopped = firstOpenOf(status);
  if (stopped !== undefined && isTerminal(stopped.action.state) && currentActionOf(status) === undefined)
    return end(status, stopped);
  return arrive(status, context);
}

/** Ends in the same way as its failed action, which is shown instead of its on-failure actions. */
function end(status: WorkflowStatus, stopped: ActionPlace): WorkflowStatus {
  return { ...unpaused(withCurrent(status, stopped)), state: stopped.action.state ?? 'FAILED' };
}

/** Nothing is left that could be paused. */
function unpaused(status: WorkflowStatus): WorkflowStatus {
  const { paused: _, ...rest } = withoutConditions(status, ['Paused', 'Interrupted']);
  return rest;
}

/**
 * The agent of the next action comes next. A breakpoint there pauses the workflow. Without a next action, the workflow is
 * complete.
 */
export function arrive(status: WorkflowStatus, context: TransitionContext): WorkflowStatus {
  const next = currentActionOf(status);
  if (next === undefined) {
    const hasActions = (status.tasks ?? []).some((task) => task.actions.length > 0);
    return hasActions ? { ...unpaused(status), state: 'POST' } : status;
  }
  const handed = { ...status, agentID: next.task.agentID };
  return next.action.breakpoint === true ? pauseAtBreakpoint(handed, next, context) : handed;
}

export function pauseAtBreakpoint(
  status: WorkflowStatus,
  place: ActionPlace,
  context: TransitionContext,
): WorkflowStatus {
  if (status.paused === true) return status;
  const text = { type: 'Paused', reason: 'Breakpoint', message: `stopped before ${nameOf(place)}` };
  return withCondition({ ...status, paused: true }, text, context);
}

/** Returns the deadline of the workflow (unless it is paused), or of its running action. */
export function expire(
  status: WorkflowStatus,
  _event: EventOf<'deadline-passed'>,
  context: TransitionContext,
): Transition {
  const place = currentActionOf(status);
  const isRunning = place?.action.state === 'RUNNING';
  if (status.paused !== true && hasPassed(status.globalExecutionStop, context)) {
    const message = `the workflow's global timeout of ${status.globalTimeout ?? 0} s has passed`;
    const timedOut = { state: 'TIMEOUT', deadline: undefined, executionStop: timeOf(context), message };
    const told =
      place !== undefined && isRunning ? withCurrent(withAction(status, place, timedOut), place) : status;
    return accept({ ...told, state: 'TIMEOUT' });
  }
  if (place === undefined || !isRunning || !hasPassed(place.action.deadline, context))
    return refuse('deadline-ahead');
  return accept(lose(status, place, context));
}

/** No agent is available to run on-failure actions. Retries wait until the agent is back. */
function lose(status: WorkflowStatus, place: ActionPlace, context: TransitionContext): WorkflowStatus {
  const message = `the agent did not report within the action's timeout of ${place.action.timeout ?? 0} s and ${REPORT_GRACE_SECONDS} s more`;
  const fields = { state: 'TIMEOUT', deadline: undefined, executionStop: timeOf(context), message };
  const { retries = 0, retried = 0 } = place.action;
  if (retried < retries) return fail(status, { place, fields }, context);
  const lost = withAction(status, place, fields);
  return end(lost, firstOpenOf(lost) ?? place);
}

/** The action may be assigned again, and the write wakes its agent. */
export function endBackoff(
  status: WorkflowStatus,
  _event: EventOf<'backoff-passed'>,
  context: TransitionContext,
): Transition {
  const place = currentActionOf(status);
  if (place === undefined || !hasPassed(place.action.notBefore, context)) return refuse('deadline-ahead');
  return accept(withAction(status, place, { notBefore: undefined }));
}

export function nameOf({ task, action }: ActionPlace): string {
  return `${task.name} / ${action.name ?? action.id}`;
}
