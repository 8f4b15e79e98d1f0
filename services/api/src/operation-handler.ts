/** Operator requests for workflows, as subresources: `POST …/workflows/<name>/pause` and the other verbs (ADR 0009). */
import { ANONYMOUS, LOCAL_ADMIN, type User } from '@tinkerbell/access';
import type { Clock, HttpContext, Random } from '@tinkerbell/platform-contract';
import { collectionOf, formatProblem, type Workflow } from '@tinkerbell/resources';
import type { Journal, Store, Updated, View } from '@tinkerbell/store-contract';
import { applyWorkflowEvent, recordStateChange, subjectOf } from '@tinkerbell/engine-workflow-events';
import {
  needsPreparation,
  operatorVerbs,
  reasonText,
  transition,
  type OperatorEvent,
  type OperatorVerb,
  type Reason,
} from '@tinkerbell/workflow';
import { ApiError, causesOf, type StatusDetails } from './api-error.ts';
import { bodyProblems } from './body-schema.ts';
import { operationSchemas } from './operation-schemas.ts';
import type { ResourceTarget } from './request-target.ts';

export interface OperationDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Operation {
  readonly verb: OperatorVerb;
  readonly body: unknown;
  readonly dryRun: boolean;
  readonly peer: HttpContext['peer'];
  /** The user whose name is stored with the workflow, unless anonymous. */
  readonly user?: User;
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
  const request = checkedBody(target, operation);
  const eventOf = (workflow: Workflow): OperatorEvent => eventFor(operation.verb, request, workflow);
  const updated = await (operation.dryRun ? tried : applied)(deps, target, eventOf);
  if (!updated.ok) return refusedOrUnchanged(target, operation.verb, updated);
  const [before, after] = [updated.before as Workflow, updated.after as Workflow];
  if (!operation.dryRun) record(deps, { event: eventOf(before), before, after });
  return { workflow: after };
}

interface Request extends Readonly<Record<string, unknown>> {
  readonly who: string;
  readonly why: string;
}

function checkedBody(
  target: ResourceTarget,
  { verb, body = {}, peer, user = ANONYMOUS }: Operation,
): Request {
  const problems = bodyProblems(operationSchemas[verb], body);
  if (problems.length > 0) {
    const name = target.name ?? '';
    const message = `${verb} of workflow ${JSON.stringify(name)} is invalid: ${problems.map(formatProblem).join(', ')}`;
    throw new ApiError('Invalid', message, { ...detailsOf(target), causes: causesOf(problems) });
  }
  const { who = '', why = '', ...fields } = body as { who?: string; why?: string };
  const address = peer.address.replace(/^::ffff:/, '');
  const isUnnamed = user.name === ANONYMOUS.name || user.name === LOCAL_ADMIN.name;
  const name = isUnnamed ? plain(who) || user.name.replace('system:', '') : user.name;
  return { ...fields, who: `${name} (from ${address})`, why: plain(why) };
}

/** Returns one line without control characters. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ').trim();
}

/** The schema has already validated each field. */
function eventFor(verb: OperatorVerb, request: Request, workflow: Workflow): OperatorEvent {
  const defaults = {
    ...(verb === 'retry' ? { from: 'failed', needsPreparation: needsPreparation(workflow) } : {}),
    ...(verb === 'breakpoint' ? { set: true } : {}),
  };
  return { kind: verb, ...defaults, ...request } as unknown as OperatorEvent;
}

type Step = (
  deps: OperationDeps,
  target: ResourceTarget,
  eventOf: (workflow: Workflow) => OperatorEvent,
) => Promise<Updated<Reason>>;

const applied: Step = (deps, target, eventOf) => applyWorkflowEvent(deps, keyOf(target), eventOf);

/** Returns what `applied` would do, without writing it. */
const tried: Step = async ({ store, clock }, target, eventOf) => {
  const stored = await store.get(keyOf(target));
  if (stored === undefined) return { ok: false, kind: 'not-found', message: 'not found' };
  const before = stored.object as Workflow;
  const context = { nowMs: clock.nowMs(), nextId: () => '' };
  const next = transition(before.status ?? {}, eventOf(before), context);
  return next.ok
    ? { ok: true, before, after: { ...before, status: next.status } }
    : { ok: false, kind: 'refused', refusal: next.reason, object: before };
};

function keyOf(target: ResourceTarget) {
  return {
    collection: collectionOf(target.kind),
    namespace: target.namespace ?? '',
    name: target.name ?? '',
  };
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
  refused: Extract<Updated<Reason>, { ok: false }>,
): OperationOutcome {
  const name = JSON.stringify(target.name ?? '');
  if (refused.kind !== 'refused') {
    if (refused.kind === 'unavailable') throw new ApiError('ServiceUnavailable', refused.message);
    throw new ApiError('NotFound', `workflows.tinkerbell.org ${name} not found`, detailsOf(target));
  }
  const { refusal: reason } = refused;
  const workflow = refused.object as Workflow;
  const text = reasonText(reason, workflow.status);
  if (isAsWanted(verb, reason, workflow)) return { workflow, unchanged: text };
  const causes = [{ reason, message: text, field: fields[reason] ?? '' }];
  const message = `cannot ${verb} workflow ${name}: ${text}`;
  throw new ApiError(statusReasons[reason] ?? 'Conflict', message, { ...detailsOf(target), causes });
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

function detailsOf({ kind, name = '' }: ResourceTarget): StatusDetails {
  return { name, group: kind.group, kind: kind.plural };
}

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
