import type { WorkflowDefinition } from '@tinkerbell/template';
import { operatorVerbs, type OperatorEvent } from './operator-event.ts';
import type { ActionState } from './state.ts';

export interface ActionReport {
  readonly agentId: string;
  readonly taskId: string;
  readonly actionId: string;
  readonly state: ActionState;
  /** The assignment that the report concerns, from agents that send it. A report about an older one changes nothing. */
  readonly attempt?: number;
  /** The agent's own times, RFC 3339. Absent when it sent none or Go's zero time. */
  readonly executionStart?: string;
  readonly executionStop?: string;
  readonly executionDuration?: string;
  readonly message?: string;
}

/** The condition with the reason why a boot phase failed, with upstream's text. */
export interface BootFailure {
  readonly message: string;
  readonly condition: 'AllowNetbootTrue' | 'AllowNetbootFalse' | 'BootJobSetupFailed' | 'BootJobFailed';
  /** `False` means that the promise of the condition was not fulfilled. */
  readonly status: 'True' | 'False';
}

/** The events of a workflow, in the past tense. Each contains everything that the state machine needs. */
export type WorkflowEvent =
  | {
      readonly kind: 'template-rendered';
      readonly rendered: WorkflowDefinition;
      readonly needsPreparation: boolean;
    }
  | { readonly kind: 'rendering-failed'; readonly message: string }
  /** The future agent of a disabled workflow. */
  | { readonly kind: 'agent-named'; readonly agentId: string }
  /** allowPXE of all network interfaces of the Hardware has that value. */
  | { readonly kind: 'netboot-toggled'; readonly allow: boolean }
  /** No Job of that name from another run exists any more. */
  | { readonly kind: 'boot-job-cleared'; readonly job: string }
  | { readonly kind: 'boot-job-created'; readonly job: string; readonly uid: string }
  | { readonly kind: 'boot-job-neglected'; readonly job: string }
  | { readonly kind: 'boot-job-started'; readonly job: string }
  | { readonly kind: 'boot-job-completed'; readonly job: string }
  | { readonly kind: 'preparation-finished' }
  | ({ readonly kind: 'preparation-failed' } & BootFailure)
  /**
   * `hardwareUid` is the current uid of the Hardware that the workflow names. It is absent when the workflow names no existing
   * Hardware.
   */
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
