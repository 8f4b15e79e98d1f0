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

/**
 * An event may depend on the current workflow. When the promise resolves with `ok`, the new status is durable. A refusal contains
 * the state machine's reason. Conflicts with other writers are retried.
 */
export function applyWorkflowEvent(
  deps: ApplyDeps,
  place: NamespacedName,
  event: WorkflowEvent | ((workflow: Workflow) => WorkflowEvent),
): Promise<Updated<Reason, Workflow>> {
  return workflowCollection.update<Reason>(deps.store, place, (workflow) => {
    const nowMs = deps.clock.nowMs();
    const nextId = (): string => ulid(nowMs, deps.random.bytes(16));
    const happened = typeof event === 'function' ? event(workflow) : event;
    const next = transition(workflow.status ?? {}, happened, { nowMs, nextId });
    return next.ok ? { object: { ...workflow, status: next.status } } : { refusal: next.reason };
  });
}
