import type { ActionState } from './state.ts';
import type { WorkflowDefinition } from '@tinkerbell/template';

export interface ActionReport {
  readonly agentId: string;
  readonly taskId: string;
  readonly actionId: string;
  readonly state: ActionState;
  /** The agent's own times, RFC 3339; absent when it sent none or Go's zero time. */
  readonly executionStart?: string;
  readonly executionStop?: string;
  readonly executionDuration?: string;
  readonly message?: string;
}

/** What can happen to a workflow. Past tense; each carries all that the state machine needs to know. */
export type WorkflowEvent =
  | {
      readonly kind: 'template-rendered';
      readonly rendered: WorkflowDefinition;
      readonly needsPreparation: boolean;
    }
  | { readonly kind: 'rendering-failed'; readonly message: string }
  | { readonly kind: 'preparation-finished' }
  | { readonly kind: 'preparation-failed'; readonly message: string }
  | { readonly kind: 'action-requested'; readonly agentId: string }
  | { readonly kind: 'action-reported'; readonly report: ActionReport }
  | { readonly kind: 'deadline-passed' }
  | { readonly kind: 'post-finished' }
  | { readonly kind: 'post-failed'; readonly message: string };

export type EventKind = WorkflowEvent['kind'];

export const eventKinds: readonly EventKind[] = [
  'template-rendered',
  'rendering-failed',
  'preparation-finished',
  'preparation-failed',
  'action-requested',
  'action-reported',
  'deadline-passed',
  'post-finished',
  'post-failed',
];

/** Why an event changes nothing. Countable. */
export type Reason =
  | 'already-rendered'
  | 'not-rendered'
  | 'not-preparing'
  | 'still-preparing'
  | 'not-running'
  | 'not-in-post'
  | 'workflow-finished'
  | 'no-next-action'
  | 'not-this-agent'
  | 'action-not-found'
  | 'action-not-current'
  | 'already-reported'
  | 'deadline-ahead';
