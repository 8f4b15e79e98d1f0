/**
 * Derives the actions that the controller must perform for a workflow from the current objects. There is no queue, so nothing can
 * be lost.
 */
import type { Workflow, WorkflowStatus } from '@tinkerbell/resources';
import { bootJobName, type BootPhase } from './boot-job.ts';
import { bootJobState } from './boot-steps.ts';
import { currentActionOf } from './next-action.ts';
import { workflowStateOf } from './state.ts';

export type Effect =
  | { readonly kind: 'render' }
  /** Render a disabled workflow only to determine its agent. */
  | { readonly kind: 'name-agent' }
  /** Set allowPXE of all network interfaces of the Hardware. */
  | { readonly kind: 'toggle-netboot'; readonly allow: boolean }
  /** Delete a Job of that name from another run, and its Tasks. */
  | { readonly kind: 'clear-boot-job'; readonly job: string }
  | { readonly kind: 'create-boot-job'; readonly job: string; readonly phase: BootPhase }
  | {
      readonly kind: 'follow-boot-job';
      readonly job: string;
      readonly uid: string;
      readonly phase: BootPhase;
    }
  | { readonly kind: 'finish-preparation' }
  | { readonly kind: 'finish-post' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'end-backoff' }
  | { readonly kind: 'wake'; readonly atMs: number };

/** Agents that finished while the server was stopped have this long to report before their actions count as lost. */
const RETURN_GRACE_MS = 30_000;

/**
 * Effects are in order. The first one that changes the workflow makes the controller reconcile again. `answeringSinceMs` is the
 * start time of the server, by the same clock as `nowMs`.
 */
export function effectsFor(workflow: Workflow, nowMs: number, answeringSinceMs = 0): readonly Effect[] {
  const status = workflow.status ?? {};
  switch (workflowStateOf(status.state)) {
    case '':
      if (workflow.spec?.disabled !== true) return [{ kind: 'render' }];
      return (status.agentID ?? '') === '' ? [{ kind: 'name-agent' }] : [];
    case 'PREPARING':
      return boot(workflow, 'preparing', { kind: 'finish-preparation' });
    case 'RUNNING':
      return timers(status, nowMs, answeringSinceMs + RETURN_GRACE_MS);
    case 'POST':
      return boot(workflow, 'post', { kind: 'finish-post' });
    default:
      return [];
  }
}

export function needsPreparation(workflow: Workflow): boolean {
  const options = workflow.spec?.bootOptions;
  return options?.toggleAllowNetboot === true || (options?.bootMode ?? '') !== '';
}

/** First allowPXE, then the Job, then the next phase. */
function boot(workflow: Workflow, phase: BootPhase, then: Effect): readonly Effect[] {
  const toggle = toggleFor(workflow, phase);
  if (toggle !== undefined) return [toggle];
  const job = bootJobName(workflow, phase);
  return [(job === undefined ? undefined : jobStep(workflow, phase, job)) ?? then];
}

function toggleFor(workflow: Workflow, phase: BootPhase): Effect | undefined {
  if (workflow.spec?.bootOptions?.toggleAllowNetboot !== true) return undefined;
  const { toggledTrue, toggledFalse } = workflow.status?.bootOptions?.allowNetboot ?? {};
  const allow = phase === 'preparing';
  return (allow ? toggledTrue : toggledFalse) === true ? undefined : { kind: 'toggle-netboot', allow };
}

/** Returns undefined when the Job is complete. */
function jobStep(workflow: Workflow, phase: BootPhase, job: string): Effect | undefined {
  const { existingJobDeleted, uid = '', complete } = bootJobState(workflow.status ?? {}, job) ?? {};
  if (complete === true) return undefined;
  if (existingJobDeleted !== true) return { kind: 'clear-boot-job', job };
  return uid === '' ? { kind: 'create-boot-job', job, phase } : { kind: 'follow-boot-job', job, uid, phase };
}

function timers(status: WorkflowStatus, nowMs: number, reportsDueMs: number): readonly Effect[] {
  const { deadline, notBefore } = currentActionOf(status)?.action ?? {};
  const stop = status.paused === true ? undefined : status.globalExecutionStop;
  const deadlines = [
    ...(deadline === undefined ? [] : [Math.max(Date.parse(deadline), reportsDueMs)]),
    ...(stop === undefined ? [] : [Date.parse(stop)]),
  ];
  const backoff = notBefore === undefined ? [] : [Date.parse(notBefore)];
  const due = (times: readonly number[]): boolean => times.some((one) => one <= nowMs);
  const ahead = [...deadlines, ...backoff].filter((one) => one > nowMs);
  return [
    ...(due(deadlines) ? [{ kind: 'expire' } as const] : []),
    ...(due(backoff) ? [{ kind: 'end-backoff' } as const] : []),
    ...(ahead.length === 0 ? [] : [{ kind: 'wake', atMs: Math.min(...ahead) } as const]),
  ];
}
