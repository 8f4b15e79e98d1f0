/**
 * The only code that sets the state of a workflow. For every state and event, `table` contains the step that applies or the
 * reason why nothing changes. The steps are small and pure, in the files named after them. Deadlines use the server's clock
 * (`nowMs`). An agent's times are only recorded.
 */
import type { WorkflowStatus } from '@tinkerbell/resources';
import {
  failBoot,
  finishPost,
  finishPreparation,
  noteJobCleared,
  noteJobCompleted,
  noteJobCreated,
  noteJobNeglected,
  noteJobStarted,
  noteToggle,
} from './boot-steps.ts';
import type { EventKind, WorkflowEvent } from './event.ts';
import { assignAction, endBackoff, expire, report, reportAfterEnd } from './execution-steps.ts';
import { edit, setBreakpoint, skip } from './operator-action-steps.ts';
import { cancel, pause, resume, retry } from './operator-steps.ts';
import type { Reason } from './reason.ts';
import { failRendering, nameAgent, render } from './rendering-steps.ts';
import { workflowStateOf, type WorkflowState } from './state.ts';
import type { Transition, TransitionContext } from './step.ts';

/** A method, so that a step may take only the event of its column. */
interface Steps {
  step(status: WorkflowStatus, event: WorkflowEvent, context: TransitionContext): Transition;
}
type Step = Steps['step'];
type Cell = Step | Reason;
type Row = Readonly<Record<EventKind, Cell>>;

const isRendered = {
  'template-rendered': 'already-rendered',
  'rendering-failed': 'already-rendered',
  'agent-named': 'already-rendered',
} as const;

const boots = {
  'netboot-toggled': noteToggle,
  'boot-job-cleared': noteJobCleared,
  'boot-job-created': noteJobCreated,
  'boot-job-neglected': noteJobNeglected,
  'boot-job-started': noteJobStarted,
  'boot-job-completed': noteJobCompleted,
} as const;

const bootsNot = {
  'netboot-toggled': 'not-booting',
  'boot-job-cleared': 'not-booting',
  'boot-job-created': 'not-booting',
  'boot-job-neglected': 'not-booting',
  'boot-job-started': 'not-booting',
  'boot-job-completed': 'not-booting',
} as const;

const preparesNot = {
  'preparation-finished': 'not-preparing',
  'preparation-failed': 'not-preparing',
} as const;
const isNotInPost = { 'post-finished': 'not-in-post', 'post-failed': 'not-in-post' } as const;
const hasNoDeadline = { 'deadline-passed': 'not-running', 'backoff-passed': 'not-running' } as const;
const mayBeChanged = { skip, breakpoint: setBreakpoint, edit } as const;

const isOver: Row = {
  ...isRendered,
  ...bootsNot,
  ...preparesNot,
  'action-requested': 'workflow-finished',
  'action-reported': reportAfterEnd,
  'deadline-passed': 'workflow-finished',
  'backoff-passed': 'workflow-finished',
  'post-finished': 'workflow-finished',
  'post-failed': 'workflow-finished',
  pause: 'workflow-finished',
  resume: 'workflow-finished',
  cancel: 'workflow-finished',
  retry,
  ...mayBeChanged,
};

/** Every state and event. A word is the reason why the event changes nothing. */
export const table: Readonly<Record<WorkflowState, Row>> = {
  '': {
    'template-rendered': render,
    'rendering-failed': failRendering,
    'agent-named': nameAgent,
    ...bootsNot,
    'preparation-finished': 'not-rendered',
    'preparation-failed': 'not-rendered',
    'action-requested': 'not-rendered',
    'action-reported': 'not-rendered',
    'deadline-passed': 'not-rendered',
    'backoff-passed': 'not-rendered',
    'post-finished': 'not-rendered',
    'post-failed': 'not-rendered',
    pause: 'not-rendered',
    resume: 'not-rendered',
    cancel,
    retry: 'not-finished',
    skip: 'not-rendered',
    breakpoint: 'not-rendered',
    edit: 'not-rendered',
  },
  PREPARING: {
    ...isRendered,
    ...boots,
    'preparation-finished': finishPreparation,
    'preparation-failed': failBoot,
    'action-requested': 'still-preparing',
    'action-reported': 'still-preparing',
    ...hasNoDeadline,
    ...isNotInPost,
    pause: 'still-preparing',
    resume: 'not-paused',
    cancel,
    retry: 'not-finished',
    ...mayBeChanged,
  },
  PENDING: {
    ...isRendered,
    ...bootsNot,
    ...preparesNot,
    'action-requested': assignAction,
    'action-reported': report,
    ...hasNoDeadline,
    ...isNotInPost,
    pause,
    resume,
    cancel,
    retry: 'not-finished',
    ...mayBeChanged,
  },
  RUNNING: {
    ...isRendered,
    ...bootsNot,
    ...preparesNot,
    'action-requested': assignAction,
    'action-reported': report,
    'deadline-passed': expire,
    'backoff-passed': endBackoff,
    ...isNotInPost,
    pause,
    resume,
    cancel,
    retry: 'not-finished',
    ...mayBeChanged,
  },
  POST: {
    ...isRendered,
    ...boots,
    ...preparesNot,
    'action-requested': 'no-next-action',
    'action-reported': reportAfterEnd,
    ...hasNoDeadline,
    'post-finished': finishPost,
    'post-failed': failBoot,
    pause: 'no-next-action',
    resume: 'not-paused',
    cancel,
    retry: 'not-finished',
    ...mayBeChanged,
  },
  SUCCESS: isOver,
  FAILED: isOver,
  TIMEOUT: isOver,
};

/** Returns the status after `event`, or the reason why nothing changes. */
export function transition(
  status: WorkflowStatus,
  event: WorkflowEvent,
  context: TransitionContext,
): Transition {
  const cell = table[workflowStateOf(status.state)][event.kind];
  if (typeof cell === 'string') return { ok: false, reason: cell };
  return cell(status, event, context);
}
