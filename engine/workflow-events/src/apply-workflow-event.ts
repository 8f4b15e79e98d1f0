/** Lets the state machine decide about a workflow, and writes the decision. Every service changes workflows this way. */
import type { Clock, Random } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import { transition, ulid, type Reason, type WorkflowEvent } from '@tinkerbell/workflow';
import {
  workflowCollection,
  type NamespacedName,
  type Store,
  type Updated,
} from '@tinkerbell/store-contract';

export interface ApplyDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** An event may depend on the current workflow. */
export type EventOf = (workflow: Workflow) => WorkflowEvent;

export interface Events {
  readonly event: WorkflowEvent | EventOf;
  /** Is applied in the same write, and left out when the state machine refuses it. */
  readonly following?: EventOf | undefined;
}

/**
 * When the promise resolves with `ok`, the new status is durable. A refusal contains the state machine's reason. Conflicts with other
 * writers are retried.
 */
export function applyWorkflowEvent(
  deps: ApplyDeps,
  place: NamespacedName,
  event: WorkflowEvent | EventOf,
): Promise<Updated<Reason, Workflow>> {
  return applyWorkflowEvents(deps, place, { event });
}

/** As `applyWorkflowEvent`, with an event that follows from the first. */
export function applyWorkflowEvents(
  deps: ApplyDeps,
  place: NamespacedName,
  { event, following }: Events,
): Promise<Updated<Reason, Workflow>> {
  return workflowCollection.update<Reason>(deps.store, place, (workflow) => {
    const nowMs = deps.clock.nowMs();
    const context = { nowMs, nextId: (): string => ulid(nowMs, deps.random.bytes(16)) };
    const happened = typeof event === 'function' ? event(workflow) : event;
    const next = transition(workflow.status ?? {}, happened, context);
    if (!next.ok) return { refusal: next.reason };
    const after = { ...workflow, status: next.status };
    const then = following && transition(next.status, following(after), context);
    return { object: then?.ok === true ? { ...workflow, status: then.status } : after };
  });
}
