/** The boot phases before the first action and after the last one: allowPXE, and the Jobs of a BMC. */
import type { WorkflowStatus } from '@tinkerbell/resources';
import { conditionOf, withCondition, type ConditionText } from './condition.ts';
import { arrive } from './execution-steps.ts';
import { accept, refuse, type EventOf, type Transition, type TransitionContext } from './step.ts';

type BootOptions = NonNullable<WorkflowStatus['bootOptions']>;
export type BootJobState = NonNullable<BootOptions['jobs']>[string];

/** The known state of a Job of a boot phase. */
export function bootJobState(status: WorkflowStatus, job: string): BootJobState | undefined {
  return status.bootOptions?.jobs?.[job];
}

export function noteToggle(
  status: WorkflowStatus,
  { allow }: EventOf<'netboot-toggled'>,
  context: TransitionContext,
): Transition {
  const field = allow ? 'toggledTrue' : 'toggledFalse';
  if (status.bootOptions?.allowNetboot?.[field] === true) return refuse('already-reported');
  const allowNetboot = { ...status.bootOptions?.allowNetboot, [field]: true };
  const toggled = { ...status, bootOptions: { ...status.bootOptions, allowNetboot } };
  const type = allow ? 'AllowNetbootTrue' : 'AllowNetbootFalse';
  const text = { type, reason: 'Complete', message: `set allowPXE to ${allow}` };
  return accept(withCondition(toggled, text, context));
}

export function noteJobCleared(status: WorkflowStatus, { job }: EventOf<'boot-job-cleared'>): Transition {
  if (bootJobState(status, job)?.existingJobDeleted === true) return refuse('already-reported');
  return accept(withJob(status, job, { existingJobDeleted: true }));
}

export function noteJobCreated(
  status: WorkflowStatus,
  { job, uid }: EventOf<'boot-job-created'>,
  context: TransitionContext,
): Transition {
  if (bootJobState(status, job)?.uid === uid) return refuse('already-reported');
  const text = { type: 'BootJobSetupComplete', reason: 'Created', message: 'job created' };
  return accept(withCondition(withJob(status, job, { uid }), text, context));
}

/** Recorded once: the second time the condition already has this value. */
export function noteJobNeglected(
  status: WorkflowStatus,
  { job }: EventOf<'boot-job-neglected'>,
  context: TransitionContext,
): Transition {
  const message = `no BMC service has taken job ${job}; is one running?`;
  return noteRunning(status, { status: 'False', reason: 'Waiting', message }, context);
}

export function noteJobStarted(
  status: WorkflowStatus,
  _event: EventOf<'boot-job-started'>,
  context: TransitionContext,
): Transition {
  return noteRunning(status, { status: 'True', reason: 'Running', message: 'job running' }, context);
}

function noteRunning(
  status: WorkflowStatus,
  text: Omit<ConditionText, 'type'>,
  context: TransitionContext,
): Transition {
  if (conditionOf(status, 'BootJobRunning')?.message === text.message) return refuse('already-reported');
  return accept(withCondition(status, { type: 'BootJobRunning', ...text }, context));
}

export function noteJobCompleted(
  status: WorkflowStatus,
  { job }: EventOf<'boot-job-completed'>,
  context: TransitionContext,
): Transition {
  if (bootJobState(status, job)?.complete === true) return refuse('already-reported');
  const text = { type: 'BootJobComplete', reason: 'Complete', message: 'job completed' };
  return accept(withCondition(withJob(status, job, { complete: true }), text, context));
}

export function finishPreparation(
  status: WorkflowStatus,
  _event: EventOf<'preparation-finished'>,
  context: TransitionContext,
): Transition {
  return accept(arrive({ ...status, state: 'PENDING' }, context));
}

export function failBoot(
  status: WorkflowStatus,
  event: EventOf<'preparation-failed' | 'post-failed'>,
  context: TransitionContext,
): Transition {
  const text = {
    type: event.condition,
    status: event.status,
    reason: 'Error',
    message: event.message,
  };
  return accept(withCondition({ ...status, state: 'FAILED' }, text, context));
}

export function finishPost(status: WorkflowStatus): Transition {
  return accept({ ...status, state: 'SUCCESS' });
}

function withJob(status: WorkflowStatus, job: string, fields: BootJobState): WorkflowStatus {
  const jobs = { ...status.bootOptions?.jobs, [job]: { ...bootJobState(status, job), ...fields } };
  return { ...status, bootOptions: { ...status.bootOptions, jobs } };
}
