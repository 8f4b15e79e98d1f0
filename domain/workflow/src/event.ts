import type { WorkflowDefinition } from '@tinkerbell/template';
import { operatorVerbs, type OperatorEvent } from './operator-event.ts';
import type { ActionState } from './state.ts';

export interface ActionReport {
  readonly agentId: string;
  readonly taskId: string;
  readonly actionId: string;
  readonly state: ActionState;
  /** Which hand-out it is about, from agents that say so; a report about an older one changes nothing. */
  readonly attempt?: number;
  /** The agent's own times, RFC 3339; absent when it sent none or Go's zero time. */
  readonly executionStart?: string;
  readonly executionStop?: string;
  readonly executionDuration?: string;
  readonly message?: string;
}

/** The condition that tells why a boot phase failed, in upstream's words. */
export interface BootFailure {
  readonly message: string;
  readonly condition: 'AllowNetbootTrue' | 'AllowNetbootFalse' | 'BootJobSetupFailed' | 'BootJobFailed';
  /** `False` says that what the condition promises was not reached. */
  readonly status: 'True' | 'False';
}

/** What can happen to a workflow. Past tense; each carries all that the state machine needs to know. */
export type WorkflowEvent =
  | {
      readonly kind: 'template-rendered';
      readonly rendered: WorkflowDefinition;
      readonly needsPreparation: boolean;
    }
  | { readonly kind: 'rendering-failed'; readonly message: string }
  /** Of a disabled workflow: whose it will be. */
  | { readonly kind: 'agent-named'; readonly agentId: string }
  /** allowPXE of all network interfaces of the Hardware has that value. */
  | { readonly kind: 'netboot-toggled'; readonly allow: boolean }
  /** No Job of that name, left over from another run, is there any more. */
  | { readonly kind: 'boot-job-cleared'; readonly job: string }
  | { readonly kind: 'boot-job-created'; readonly job: string; readonly uid: string }
  | { readonly kind: 'boot-job-neglected'; readonly job: string }
  | { readonly kind: 'boot-job-started'; readonly job: string }
  | { readonly kind: 'boot-job-completed'; readonly job: string }
  | { readonly kind: 'preparation-finished' }
  | ({ readonly kind: 'preparation-failed' } & BootFailure)
  /** `hardwareUid`: of the Hardware that the workflow names, as it is now; absent when it names none that is there. */
  | { readonly kind: 'action-requested'; readonly agentId: string; readonly hardwareUid?: string }
  | { readonly kind: 'action-reported'; readonly report: ActionReport }
  | { readonly kind: 'deadline-passed' }
  | { readonly kind: 'backoff-passed' }
  | { readonly kind: 'post-finished' }
  | ({ readonly kind: 'post-failed' } & BootFailure)
  | OperatorEvent;

export type EventKind = WorkflowEvent['kind'];

export const eventKinds: readonly EventKind[] = [
  'template-rendered',
  'rendering-failed',
  'agent-named',
  'netboot-toggled',
  'boot-job-cleared',
  'boot-job-created',
  'boot-job-neglected',
  'boot-job-started',
  'boot-job-completed',
  'preparation-finished',
  'preparation-failed',
  'action-requested',
  'action-reported',
  'deadline-passed',
  'backoff-passed',
  'post-finished',
  'post-failed',
  ...operatorVerbs,
];
