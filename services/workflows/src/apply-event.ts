/** Lets the state machine decide about a workflow and writes what it decided. */
import type { Clock, Random } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import { updateObject, type ObjectKey, type Store, type Updated } from '@tinkerbell/store-contract';
import { transition, ulid, type Reason, type WorkflowEvent } from '@tinkerbell/workflow';

export interface ApplyDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

export const workflowCollection = 'workflows.tinkerbell.org';

/** When it resolves with `ok`, the new status is durable. */
export function applyEvent(deps: ApplyDeps, key: ObjectKey, event: WorkflowEvent): Promise<Updated<Reason>> {
  return updateObject<Reason>(deps.store, key, (current) => {
    const nowMs = deps.clock.nowMs();
    const nextId = (): string => ulid(nowMs, deps.random.bytes(16));
    const next = transition((current as Workflow).status ?? {}, event, { nowMs, nextId });
    return next.ok ? { object: { ...current, status: next.status } } : { refusal: next.reason };
  });
}
