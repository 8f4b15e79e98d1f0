/** Reads a workflow with its revision, lets the state machine decide, and writes; again when somebody else wrote in between. */
import type { Clock, Random } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import type { ObjectKey, Store } from '@tinkerbell/store-contract';
import { transition, ulid, type Reason, type WorkflowEvent } from '@tinkerbell/workflow';

export interface ApplyDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

export type Applied =
  | { readonly ok: true; readonly before: Workflow; readonly after: Workflow }
  | { readonly ok: false; readonly reason: Reason; readonly workflow: Workflow }
  | {
      readonly ok: false;
      readonly reason: 'workflow-not-found' | 'store-unavailable' | 'too-many-conflicts';
      readonly message: string;
    };

/** Conflicts in a row before giving up; each means that another writer got ahead. */
const TRIES = 5;

export const workflowCollection = 'workflows.tinkerbell.org';

/** When it resolves with `ok`, the new status is durable. */
export async function applyEvent(deps: ApplyDeps, key: ObjectKey, event: WorkflowEvent): Promise<Applied> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const stored = await deps.store.get(key);
    if (stored === undefined)
      return {
        ok: false,
        reason: 'workflow-not-found',
        message: `workflow ${key.namespace}/${key.name} not found`,
      };
    const before = stored.object as Workflow;
    const next = transition(before.status ?? {}, event, contextOf(deps));
    if (!next.ok) return { ok: false, reason: next.reason, workflow: before };
    const after: Workflow = { ...before, status: next.status };
    const result = await deps.store.commit([
      { operation: 'update', key, object: after, expectedRevision: stored.revision },
    ]);
    if (result.ok) return { ok: true, before, after };
    if (result.reason === 'unavailable')
      return { ok: false, reason: 'store-unavailable', message: result.message };
  }
  return {
    ok: false,
    reason: 'too-many-conflicts',
    message: `workflow ${key.namespace}/${key.name} is being written by others`,
  };
}

function contextOf(deps: ApplyDeps) {
  const nowMs = deps.clock.nowMs();
  return { nowMs, nextId: () => ulid(nowMs, deps.random.bytes(16)) };
}
