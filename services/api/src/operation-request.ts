/** Parses the body of an operator's request into the event that the state machine takes. */
import { ANONYMOUS, LOCAL_ADMIN, type User } from '@tinkerbell/access';
import type { HttpContext } from '@tinkerbell/platform-contract';
import { formatProblem, type Workflow } from '@tinkerbell/resources';
import { needsPreparation, type OperatorEvent, type OperatorVerb } from '@tinkerbell/workflow';
import { ApiError, causesOf, type StatusDetails } from './api-error.ts';
import { bodyProblems } from './body-schema.ts';
import { operationSchemas } from './operation-schemas.ts';
import type { ResourceTarget } from './request-target.ts';

export interface Operation {
  readonly verb: OperatorVerb;
  readonly body: unknown;
  readonly dryRun: boolean;
  readonly peer: HttpContext['peer'];
  /** The user whose name is stored with the workflow, unless anonymous. */
  readonly user?: User;
}

export interface OperationRequest extends Readonly<Record<string, unknown>> {
  readonly who: string;
  readonly why: string;
}

/** Returns the validated body, with who asks. Throws an ApiError. */
export function operationRequest(
  target: ResourceTarget,
  { verb, body = {}, peer, user = ANONYMOUS }: Operation,
): OperationRequest {
  const problems = bodyProblems(operationSchemas[verb], body);
  if (problems.length > 0) {
    const name = target.name ?? '';
    const message = `${verb} of workflow ${JSON.stringify(name)} is invalid: ${problems.map(formatProblem).join(', ')}`;
    throw new ApiError('Invalid', message, { ...operationDetails(target), causes: causesOf(problems) });
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
export function eventFor(verb: OperatorVerb, request: OperationRequest, workflow: Workflow): OperatorEvent {
  const defaults = {
    ...(verb === 'retry' ? { from: 'failed', needsPreparation: needsPreparation(workflow) } : {}),
    ...(verb === 'breakpoint' ? { set: true } : {}),
  };
  return { kind: verb, ...defaults, ...request } as unknown as OperatorEvent;
}

export function operationDetails({ kind, name = '' }: ResourceTarget): StatusDetails {
  return { name, group: kind.group, kind: kind.plural };
}
