/** Who may do what, as far as the API asks: the seam for roles. */
import type { HttpContext } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';

export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface AccessQuestion {
  readonly user: UserInfo;
  readonly verb: string;
  /** `workflows.tinkerbell.org/pause`, `secrets`; a path where the question is about one. */
  readonly resource: string;
  /** Empty: all namespaces, or none. */
  readonly namespace: string;
}

export interface Authorizer {
  mayDo(question: AccessQuestion): boolean;
}

/** Whoever reaches the API may do everything. */
export const everybody: Authorizer = { mayDo: () => true };

/** Listeners that know their user say so in the context; others have one for all. */
export function userOf(context: HttpContext): UserInfo {
  const { user } = context as HttpContext & { readonly user?: UserInfo };
  return user ?? { name: 'system:anonymous', groups: ['system:unauthenticated'] };
}

const PREFIX = '/apis/authorization.k8s.io/v1/';

/** Which review a path is about, or undefined. */
export function reviewAt(path: string): 'SelfSubjectAccessReview' | 'SelfSubjectRulesReview' | undefined {
  switch (path) {
    case `${PREFIX}selfsubjectaccessreviews`:
      return 'SelfSubjectAccessReview';
    case `${PREFIX}selfsubjectrulesreviews`:
      return 'SelfSubjectRulesReview';
    default:
      return undefined;
  }
}

/** The answered review (authorization.k8s.io/v1). Throws an ApiError. */
export function reviewed(
  review: NonNullable<ReturnType<typeof reviewAt>>,
  body: unknown,
  { authorizer, user }: { readonly authorizer: Authorizer; readonly user: UserInfo },
): object {
  const spec = isRecord(body) ? body['spec'] : undefined;
  if (!isRecord(spec)) throw new ApiError('BadRequest', `${review}: spec: is required`);
  const shape = { apiVersion: 'authorization.k8s.io/v1', kind: review, metadata: {}, spec };
  if (review === 'SelfSubjectRulesReview') return { ...shape, status: rulesOf(authorizer, user, spec) };
  const { resourceAttributes, nonResourceAttributes } = spec;
  const asked = isRecord(resourceAttributes) ? resourceAttributes : nonResourceAttributes;
  if (!isRecord(asked)) {
    const message = `${review}: spec: needs resourceAttributes or nonResourceAttributes`;
    throw new ApiError('BadRequest', message);
  }
  const word = (name: string): string => (typeof asked[name] === 'string' ? asked[name] : '');
  const group = word('group') === '' ? '' : `.${word('group')}`;
  const part = word('subresource') === '' ? '' : `/${word('subresource')}`;
  const resource = word('path') || `${word('resource')}${group}${part}`;
  const allowed = authorizer.mayDo({ user, verb: word('verb'), resource, namespace: word('namespace') });
  return { ...shape, status: { allowed, ...(allowed ? {} : { reason: 'no role allows it' }) } };
}

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function rulesOf(authorizer: Authorizer, user: UserInfo, spec: Record<string, unknown>): object {
  const namespace = typeof spec['namespace'] === 'string' ? spec['namespace'] : '';
  const allowed = verbs.filter((verb) => authorizer.mayDo({ user, verb, resource: '*', namespace }));
  const rule = { verbs: allowed.length === verbs.length ? ['*'] : allowed };
  return {
    resourceRules: allowed.length === 0 ? [] : [{ ...rule, apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: allowed.length === 0 ? [] : [{ ...rule, nonResourceURLs: ['*'] }],
    incomplete: false,
  };
}
