/**
 * The only code that sets the state of a workflow. `table` says for every state and event which step applies or
 * why nothing happens; the steps below it are small and pure. Deadlines come from the server's clock (`nowMs`);
 * an agent's times are only recorded.
 */
import type { WorkflowAction, WorkflowCondition, WorkflowStatus } from '@tinkerbell/resources';
import type { EventKind, Reason, WorkflowEvent } from './event.ts';
import { actionAt, currentActionOf, type ActionPlace } from './next-action.ts';
import { isTerminal, workflowStateOf, type WorkflowState } from './state.ts';
import { statusOf } from './first-status.ts';

export type Transition =
  | { readonly ok: true; readonly status: WorkflowStatus }
  | { readonly ok: false; readonly reason: Reason };

export interface TransitionContext {
  /** The server's clock, milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Gives a new id each time it is called. */
  readonly nextId: () => string;
}

type Step = (status: WorkflowStatus, event: never, context: TransitionContext) => Transition;
type Cell = Step | Reason;
type Row = Readonly<Record<EventKind, Cell>>;

const finished: Row = {
  'template-rendered': 'already-rendered',
  'rendering-failed': 'already-rendered',
  'preparation-finished': 'not-preparing',
  'preparation-failed': 'not-preparing',
  'action-requested': 'workflow-finished',
  'action-reported': reportAfterEnd,
  'deadline-passed': 'workflow-finished',
  'post-finished': 'workflow-finished',
  'post-failed': 'workflow-finished',
};

/** Every state and event. A word is the reason for which the event changes nothing. */
export const table: Readonly<Record<WorkflowState, Row>> = {
  '': {
    'template-rendered': render,
    'rendering-failed': failRendering,
    'preparation-finished': 'not-rendered',
    'preparation-failed': 'not-rendered',
    'action-requested': 'not-rendered',
    'action-reported': 'not-rendered',
    'deadline-passed': 'not-rendered',
    'post-finished': 'not-rendered',
    'post-failed': 'not-rendered',
  },
  PREPARING: {
    ...finished,
    'preparation-finished': finishPreparation,
    'preparation-failed': failWith('BootJobFailed'),
    'action-requested': 'still-preparing',
    'action-reported': 'still-preparing',
    'deadline-passed': 'not-running',
    'post-finished': 'not-in-post',
    'post-failed': 'not-in-post',
  },
  PENDING: {
    ...finished,
    'action-requested': handOut,
    'action-reported': report,
    'deadline-passed': 'not-running',
    'post-finished': 'not-in-post',
    'post-failed': 'not-in-post',
  },
  RUNNING: {
    ...finished,
    'action-requested': handOut,
    'action-reported': report,
    'deadline-passed': expire,
    'post-finished': 'not-in-post',
    'post-failed': 'not-in-post',
  },
  POST: {
    ...finished,
    'action-requested': 'no-next-action',
    'deadline-passed': 'not-running',
    'post-finished': finishPost,
    'post-failed': failWith('BootJobFailed'),
  },
  SUCCESS: finished,
  FAILED: finished,
  TIMEOUT: finished,
};

/** The status after `event`, or why nothing changes. */
export function transition(
  status: WorkflowStatus,
  event: WorkflowEvent,
  context: TransitionContext,
): Transition {
  const cell = table[workflowStateOf(status.state)][event.kind];
  if (typeof cell === 'string') return { ok: false, reason: cell };
  return cell(status, event as never, context);
}

type EventOf<Kind extends EventKind> = Extract<WorkflowEvent, { kind: Kind }>;

function render(
  _status: WorkflowStatus,
  event: EventOf<'template-rendered'>,
  context: TransitionContext,
): Transition {
  const rendered = statusOf(event.rendered, context.nextId);
  const condition = conditionOf(
    'TemplateRenderedSuccess',
    'Complete',
    'template rendered successfully',
    context,
  );
  return accept({
    ...rendered,
    state: event.needsPreparation ? 'PREPARING' : 'PENDING',
    templateRendering: 'successful',
    conditions: [condition],
  });
}

/** The workflow stays as it is, so that a mended Template or Hardware renders later. */
function failRendering(
  status: WorkflowStatus,
  event: EventOf<'rendering-failed'>,
  context: TransitionContext,
): Transition {
  const condition = {
    ...conditionOf('TemplateRenderedSuccess', 'Error', event.message, context),
    status: 'False',
  };
  const known = status.conditions?.find((one) => one.type === condition.type);
  if (known?.message === condition.message) return { ok: false, reason: 'already-reported' };
  return accept({ ...status, templateRendering: 'failed', conditions: withCondition(status, condition) });
}

function finishPreparation(status: WorkflowStatus): Transition {
  return accept({ ...status, state: 'PENDING' });
}

function failWith(type: string): Step {
  return (status: WorkflowStatus, event: { message: string }, context: TransitionContext) =>
    accept({
      ...status,
      state: 'FAILED',
      conditions: withCondition(status, conditionOf(type, 'Error', event.message, context)),
    });
}

/**
 * Records that the current action is given to its agent (the record must be durable before the agent gets it).
 * An action that was already running is served again: its attempt grows.
 */
function handOut(status: WorkflowStatus, event: EventOf<'action-requested'>): Transition {
  const place = currentActionOf(status);
  if (place === undefined) return { ok: false, reason: 'no-next-action' };
  if (place.task.agentID !== event.agentId) return { ok: false, reason: 'not-this-agent' };
  const attempt = place.action.attempt ?? 0;
  const isWaiting = place.action.state === 'PENDING' && attempt > 0;
  return accept(withAction(status, place, { attempt: isWaiting ? attempt : attempt + 1 }));
}

function report(
  status: WorkflowStatus,
  event: EventOf<'action-reported'>,
  context: TransitionContext,
): Transition {
  const { report: given } = event;
  const place = actionAt(status, given.agentId, given.actionId);
  if (place === undefined) return { ok: false, reason: 'action-not-found' };
  if (place.action.state === given.state) return { ok: false, reason: 'already-reported' };
  if (currentActionOf(status)?.action.id !== place.action.id)
    return { ok: false, reason: 'action-not-current' };
  if (given.state === 'PENDING') return { ok: false, reason: 'action-not-current' };
  const reported = withAction(status, place, reportedFields(place.action, event.report, context));
  return accept(advance(startClock(reported, context), context));
}

function reportAfterEnd(status: WorkflowStatus, event: EventOf<'action-reported'>): Transition {
  const place = actionAt(status, event.report.agentId, event.report.actionId);
  if (place === undefined) return { ok: false, reason: 'action-not-found' };
  return {
    ok: false,
    reason: place.action.state === event.report.state ? 'already-reported' : 'workflow-finished',
  };
}

function reportedFields(
  action: WorkflowAction,
  given: EventOf<'action-reported'>['report'],
  context: TransitionContext,
): Partial<WorkflowAction> {
  const start = given.executionStart ?? action.executionStart ?? timeOf(context);
  return {
    state: given.state,
    attempt: action.attempt ?? 1,
    executionStart: start,
    ...(isTerminal(given.state) ? { executionStop: given.executionStop ?? timeOf(context) } : {}),
    ...(given.executionDuration ? { executionDuration: given.executionDuration } : {}),
    ...(given.message ? { message: given.message } : {}),
  };
}

/** The global timeout runs from the first report on; 0 is none. (Upstream starts it late or never.) */
function startClock(status: WorkflowStatus, context: TransitionContext): WorkflowStatus {
  const seconds = status.globalTimeout ?? 0;
  if (status.globalExecutionStop !== undefined || seconds <= 0) return status;
  return { ...status, globalExecutionStop: new Date(context.nowMs + seconds * 1000).toISOString() };
}

/** The state of the workflow that follows from the states of its actions, and the agent whose turn it is. */
function advance(status: WorkflowStatus, _context: TransitionContext): WorkflowStatus {
  const state = status.currentState?.state;
  if (state === 'FAILED' || state === 'TIMEOUT') return { ...status, state };
  const next = currentActionOf(status);
  if (next === undefined) return { ...status, state: 'POST' };
  return { ...status, state: 'RUNNING', agentID: next.task.agentID };
}

function expire(status: WorkflowStatus, _event: WorkflowEvent, context: TransitionContext): Transition {
  const stop = status.globalExecutionStop;
  if (stop === undefined || Date.parse(stop) > context.nowMs) return { ok: false, reason: 'deadline-ahead' };
  return accept({ ...status, state: 'TIMEOUT' });
}

function finishPost(status: WorkflowStatus): Transition {
  return accept({ ...status, state: status.currentState?.state ?? 'SUCCESS' });
}

function accept(status: WorkflowStatus): Transition {
  return { ok: true, status };
}

/** The status with one action changed and shown as the current one. */
function withAction(
  status: WorkflowStatus,
  place: ActionPlace,
  fields: Partial<WorkflowAction>,
): WorkflowStatus {
  const action: WorkflowAction = { ...place.action, ...fields };
  const tasks = (status.tasks ?? []).map((task) =>
    task.id === place.task.id
      ? { ...task, actions: task.actions.map((one) => (one.id === action.id ? action : one)) }
      : task,
  );
  const currentState = {
    agentID: place.task.agentID,
    taskID: place.task.id,
    taskName: place.task.name,
    actionID: action.id,
    actionName: action.name ?? '',
    state: action.state ?? 'PENDING',
  };
  return { ...status, tasks, currentState };
}

function withCondition(status: WorkflowStatus, condition: WorkflowCondition): WorkflowCondition[] {
  return [...(status.conditions ?? []).filter((one) => one.type !== condition.type), condition];
}

function conditionOf(
  type: string,
  reason: string,
  message: string,
  context: TransitionContext,
): WorkflowCondition {
  return { type, status: 'True', reason, message, time: timeOf(context) };
}

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
function timeOf(context: TransitionContext): string {
  return new Date(context.nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
