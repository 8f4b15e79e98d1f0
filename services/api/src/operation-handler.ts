/** Operator requests for workflows, as subresources: `POST …/workflows/<name>/pause` and the other verbs (ADR 0009). */
import type { Clock, Random } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import {
  workflowCollection,
  type Journal,
  type Store,
  type Updated,
  type View,
} from '@tinkerbell/store-contract';
import { applyWorkflowEvent, recordStateChange, subjectOf } from '@tinkerbell/engine-workflow-events';
import {
  operatorVerbs,
  reasonText,
  transition,
  type OperatorEvent,
  type OperatorVerb,
  type Reason,
} from '@tinkerbell/workflow';
import { ApiError } from './api-error.ts';
import { eventFor, operationDetails, operationRequest, type Operation } from './operation-request.ts';
import type { ResourceTarget } from './request-target.ts';

export interface OperationDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
}

export interface OperationOutcome {
  readonly workflow: Workflow;
  /** Why nothing changed although the workflow is in the requested state. */
  readonly unchanged?: string;
}

export function operationVerb(target: ResourceTarget): OperatorVerb | undefined {
  return target.kind.kind === 'Workflow'
    ? operatorVerbs.find((one) => one === target.subresource)
    : undefined;
}

/** Throws an ApiError if the workflow does not exist, the body is invalid, or the state machine rejects the operation. */
export async function operate(
  deps: OperationDeps,
  target: ResourceTarget,
  operation: Operation,
): Promise<OperationOutcome> {
  const request = operationRequest(target, operation);
  const eventOf = (workflow: Workflow): OperatorEvent => eventFor(operation.verb, request, workflow);
  const updated = await (operation.dryRun ? tried : applied)(deps, target, eventOf);
  if (!updated.ok) return refusedOrUnchanged(target, operation.verb, updated);
  const { before, after } = updated;
  if (!operation.dryRun) record(deps, { event: eventOf(before), before, after });
  return { workflow: after };
}

type Step = (
  deps: OperationDeps,
  target: ResourceTarget,
  eventOf: (workflow: Workflow) => OperatorEvent,
) => Promise<Updated<Reason, Workflow>>;

const applied: Step = (deps, target, eventOf) => applyWorkflowEvent(deps, keyOf(target), eventOf);

/** Returns what `applied` would do, without writing it. */
const tried: Step = async ({ store, clock }, target, eventOf) => {
  const stored = await workflowCollection.get(store, keyOf(target));
  if (stored === undefined) return { ok: false, kind: 'not-found', message: 'not found' };
  const before = stored.object;
  const context = { nowMs: clock.nowMs(), nextId: () => '' };
  const next = transition(before.status ?? {}, eventOf(before), context);
  return next.ok
    ? { ok: true, before, after: { ...before, status: next.status } }
    : { ok: false, kind: 'refused', refusal: next.reason, object: before };
};

function keyOf({ namespace = '', name = '' }: ResourceTarget) {
  return { namespace, name };
}

/** A workflow already in the requested state is not a failure, because a client may repeat a request after a lost answer. */
function isAsWanted(verb: OperatorVerb, reason: Reason, { status }: Workflow): boolean {
  switch (verb) {
    case 'pause':
      return reason === 'already-paused';
    case 'resume':
      return reason === 'not-paused';
    case 'breakpoint':
      return reason === 'nothing-to-change';
    case 'cancel':
      return (
        reason === 'workflow-finished' && (status?.conditions ?? []).some((one) => one.type === 'Cancelled')
      );
    default:
      return false;
  }
}

function refusedOrUnchanged(
  target: ResourceTarget,
  verb: OperatorVerb,
  refused: Extract<Updated<Reason, Workflow>, { ok: false }>,
): OperationOutcome {
  const name = JSON.stringify(target.name ?? '');
  if (refused.kind !== 'refused') {
    if (refused.kind === 'unavailable') throw new ApiError('ServiceUnavailable', refused.message);
    throw new ApiError('NotFound', `workflows.tinkerbell.org ${name} not found`, operationDetails(target));
  }
  const { refusal: reason } = refused;
  const workflow = refused.object;
  const text = reasonText(reason, workflow.status);
  if (isAsWanted(verb, reason, workflow)) return { workflow, unchanged: text };
  const causes = [{ reason, message: text, field: fields[reason] ?? '' }];
  const message = `cannot ${verb} workflow ${name}: ${text}`;
  throw new ApiError(statusReasons[reason] ?? 'Conflict', message, { ...operationDetails(target), causes });
}

/** Returns the field of the body that a reason is about. */
const fields: Partial<Record<Reason, string>> = {
  'no-such-action': 'action',
  'ambiguous-action': 'task',
  'invalid-image': 'image',
  'invalid-timeout': 'timeout',
};

const statusReasons: Partial<Record<Reason, ApiError['reason']>> = {
  'no-such-action': 'NotFound',
  'invalid-image': 'Invalid',
  'invalid-timeout': 'Invalid',
};

const done: Readonly<Record<OperatorVerb, string>> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  retry: 'retried',
  skip: 'skipped',
  breakpoint: 'breakpoint set',
  edit: 'edited',
};

function doneBy(event: OperatorEvent): string {
  return event.kind === 'breakpoint' && !event.set ? 'breakpoint removed' : done[event.kind];
}

interface Done {
  readonly event: OperatorEvent;
  readonly before: Workflow;
  readonly after: Workflow;
}

function record(deps: OperationDeps, { event, before, after }: Done): void {
  const operation = after.status?.operations?.at(-1);
  if (operation === undefined) return;
  const { verb, who, why = '', task, action } = operation;
  const place = [task, action].filter((one) => one !== undefined && one !== '').join(' / ');
  const what = `${place === '' ? '' : `${place} `}${doneBy(event)} by ${who}`;
  deps.journal.append({
    source: 'workflow',
    ...subjectOf(deps.view, after),
    event: `operator-${verb}`,
    message: why === '' ? what : `${what}: ${why}`,
    details: {
      who,
      why,
      ...(task === undefined ? {} : { task }),
      ...(action === undefined ? {} : { action }),
    },
  });
  recordStateChange(deps, { before, after, why: '' });
}
