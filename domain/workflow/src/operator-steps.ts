/** The operator's verbs that concern the whole workflow: pause, resume, cancel, retry. */
import type { WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import { renewed, withAction, withCurrent } from './action-change.ts';
import { conditionOf, withCondition, withoutConditions } from './condition.ts';
import { arrive } from './execution-steps.ts';
import { currentActionOf, firstOpenOf } from './next-action.ts';
import { byWhom, find, operationOf, recorded } from './operation.ts';
import type { ActionName } from './operator-event.ts';
import { accept, refuse, timeOf, type EventOf, type Transition, type TransitionContext } from './step.ts';

/** Messages with the reason why a workflow is paused. They are removed when it continues. */
const STOP_CONDITIONS = ['Paused', 'Interrupted', 'Cancelled'];
const BOOT_CONDITIONS = [
  'AllowNetbootTrue',
  'AllowNetbootFalse',
  'BootJobSetupComplete',
  'BootJobSetupFailed',
  'BootJobRunning',
  'BootJobComplete',
  'BootJobFailed',
];

export function pause(
  status: WorkflowStatus,
  event: EventOf<'pause'>,
  context: TransitionContext,
): Transition {
  if (status.paused === true) return refuse('already-paused');
  const text = { type: 'Paused', reason: 'Operator', message: byWhom('paused', event) };
  return accept(
    recorded(withCondition({ ...status, paused: true }, text, context), operationOf(event, context)),
  );
}

export function resume(
  status: WorkflowStatus,
  event: EventOf<'resume'>,
  context: TransitionContext,
): Transition {
  if (status.paused !== true) return refuse('not-paused');
  return accept(recorded(resumed(status, context), operationOf(event, context)));
}

/** The workflow is no longer paused. The pause does not count for the global timeout. */
export function resumed(status: WorkflowStatus, context: TransitionContext): WorkflowStatus {
  const since = conditionOf(status, 'Paused')?.time ?? conditionOf(status, 'Interrupted')?.time;
  const { paused: _, globalExecutionStop: stop, ...rest } = withoutConditions(status, STOP_CONDITIONS);
  const pausedMs = since === undefined ? 0 : Math.max(0, context.nowMs - Date.parse(since));
  const clock =
    stop === undefined ? {} : { globalExecutionStop: new Date(Date.parse(stop) + pausedMs).toISOString() };
  return { ...rest, ...clock };
}

export function cancel(
  status: WorkflowStatus,
  event: EventOf<'cancel'>,
  context: TransitionContext,
): Transition {
  const message = byWhom('cancelled', event);
  const place = currentActionOf(status);
  const fields = { state: 'FAILED', deadline: undefined, executionStop: timeOf(context), message };
  const stopped =
    place?.action.state === 'RUNNING' ? withCurrent(withAction(status, place, fields), place) : status;
  const { paused: _, ...rest } = withoutConditions(stopped, STOP_CONDITIONS);
  const text = { type: 'Cancelled', reason: 'Operator', message };
  return accept(
    recorded(withCondition({ ...rest, state: 'FAILED' }, text, context), operationOf(event, context)),
  );
}

/** The actions to run again: all, those that have neither succeeded nor been skipped, or that one and all after it. */
type RunAgain = 'all' | 'unfinished' | { readonly fromId: string };

/** The start of the new run: a boot phase, or the first action that is run again. */
type Beginning =
  | { readonly at: 'rendering' | 'post' }
  | { readonly at: 'preparation' | 'action'; readonly again: RunAgain };

export function retry(
  status: WorkflowStatus,
  event: EventOf<'retry'>,
  context: TransitionContext,
): Transition {
  const beginning = beginningOf(status, event);
  if ('ok' in beginning) return beginning;
  const { globalExecutionStop: _, currentState: __, ...rest } = withoutConditions(status, STOP_CONDITIONS);
  return accept(recorded(begunAt(rest, beginning, context), operationOf(event, context)));
}

type Refusal = Extract<Transition, { ok: false }>;

function refusal(reason: Refusal['reason']): Refusal {
  return { ok: false, reason };
}

function beginningOf(status: WorkflowStatus, event: EventOf<'retry'>): Beginning | Refusal {
  if (!(status.tasks ?? []).some((task) => task.actions.length > 0)) return { at: 'rendering' };
  if (event.from === 'failed') return whereStopped(status, event.needsPreparation);
  if (event.from !== 'start') return actionNamed(status, event.from);
  return { at: event.needsPreparation ? 'preparation' : 'action', again: 'all' };
}

/** Before the first assignment the machine may not be prepared. */
function whereStopped(status: WorkflowStatus, needsPreparation: boolean): Beginning | Refusal {
  if (status.state === 'SUCCESS') return refusal('nothing-failed');
  if (firstOpenOf(status) === undefined) return { at: 'post' };
  return { at: needsPreparation && !wasHandedOut(status) ? 'preparation' : 'action', again: 'unfinished' };
}

function actionNamed(status: WorkflowStatus, name: ActionName): Beginning | Refusal {
  const place = find(status, name);
  if (typeof place === 'string') return refusal(place);
  const ids = (status.tasks ?? []).flatMap((task) => task.actions.map((action) => action.id));
  const open = firstOpenOf(status);
  const isBeyond = open !== undefined && ids.indexOf(place.action.id) > ids.indexOf(open.action.id);
  return isBeyond ? refusal('earlier-unfinished') : { at: 'action', again: { fromId: place.action.id } };
}

function wasHandedOut(status: WorkflowStatus): boolean {
  return (status.tasks ?? []).some((task) => task.actions.some((action) => (action.attempt ?? 0) > 0));
}

function begunAt(status: WorkflowStatus, beginning: Beginning, context: TransitionContext): WorkflowStatus {
  switch (beginning.at) {
    case 'rendering':
      return { ...status, state: '' };
    case 'preparation':
      return { ...withoutBoot(renewedStatus(status, beginning.again)), state: 'PREPARING' };
    case 'post':
      return { ...withoutBoot(status), state: 'POST' };
    case 'action':
      return arrive({ ...renewedStatus(status, beginning.again), state: 'PENDING' }, context);
  }
}

/** Actions that run again are reset to the state before their first attempt. */
function renewedStatus(status: WorkflowStatus, again: RunAgain): WorkflowStatus {
  let hasBegun = again === 'all';
  const isRunAgain = ({ id, state }: WorkflowAction): boolean => {
    if (again === 'unfinished') return state !== 'SUCCESS';
    hasBegun ||= again !== 'all' && id === again.fromId;
    return hasBegun;
  };
  const tasks = (status.tasks ?? []).map((task) => ({
    ...task,
    actions: task.actions.map((action) => (isRunAgain(action) ? renewed(action) : action)),
  }));
  const { bootOptions, ...rest } = { ...status, tasks };
  return { ...rest, ...withoutPost(bootOptions) };
}

/** The steps after the last action are repeated after the next last action. */
function withoutPost(options: WorkflowStatus['bootOptions']): Pick<WorkflowStatus, 'bootOptions'> {
  if (options === undefined) return {};
  const { allowNetboot, jobs = {} } = options;
  const { toggledFalse: _, ...toggled } = allowNetboot ?? {};
  const kept = Object.entries(jobs).filter(([job]) => !/^(iso-eject|customboot-post)-/.test(job));
  return {
    bootOptions: {
      ...(allowNetboot === undefined ? {} : { allowNetboot: toggled }),
      ...(options.jobs === undefined ? {} : { jobs: Object.fromEntries(kept) }),
    },
  };
}

/** Boot phases start again. */
function withoutBoot(status: WorkflowStatus): WorkflowStatus {
  const { bootOptions: _, ...rest } = withoutConditions(status, BOOT_CONDITIONS);
  return rest;
}
