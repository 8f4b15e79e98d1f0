/** The common parts of the state machine's steps: their shape, their outcome, and times of the server's clock. */
import type { WorkflowStatus } from '@tinkerbell/resources';
import type { EventKind, WorkflowEvent } from './event.ts';
import type { Reason } from './reason.ts';

export type Transition =
  | { readonly ok: true; readonly status: WorkflowStatus }
  | { readonly ok: false; readonly reason: Reason };

export interface TransitionContext {
  /** The server's clock, milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Returns a new id each time it is called. */
  readonly nextId: () => string;
}

export type EventOf<Kind extends EventKind> = Extract<WorkflowEvent, { kind: Kind }>;

export function accept(status: WorkflowStatus): Transition {
  return { ok: true, status };
}

export function refuse(reason: Reason): Transition {
  return { ok: false, reason };
}

/** The current time, RFC 3339 in whole seconds, as Kubernetes writes times. */
export function timeOf({ nowMs }: TransitionContext): string {
  return new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A future time, RFC 3339 in milliseconds. Deadlines are not rounded. */
export function timeAfter({ nowMs }: TransitionContext, delayMs: number): string {
  return new Date(nowMs + delayMs).toISOString();
}

/** Returns true when the time is set and has passed. */
export function hasPassed(time: string | undefined, { nowMs }: Pick<TransitionContext, 'nowMs'>): boolean {
  return time !== undefined && Date.parse(time) <= nowMs;
}
