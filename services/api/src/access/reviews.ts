/** Access reviews, which are answered and never stored (authorization.k8s.io/v1, authentication.k8s.io/v1). */
import type { Asked, Rule, User } from '@tinkerbell/access';
import type { Authenticator, Authorizer } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import { ApiError } from '../api-error.ts';
import { permit } from './question.ts';

/** Allows everything. */
export const everybody: Authorizer = {
  decide: () => ({ allowed: true, reason: 'roles are disabled' }),
  rulesOf: () => [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
};

const kinds = [
  'authorization.k8s.io/SelfSubjectAccessReview',
  'authorization.k8s.io/SelfSubjectRulesReview',
  'authentication.k8s.io/SelfSubjectReview',
  'authentication.k8s.io/TokenReview',
] as const;

export type Review = (typeof kinds)[number];

export interface ReviewDeps {
  readonly authorizer: Authorizer;
  readonly authenticator?: Authenticator;
  readonly user: User;
}

type Json = Readonly<Record<string, unknown>>;

/** `authorization.k8s.io/v1` and `SelfSubjectAccessReview`. */
export function typeOf(review: Review): { readonly apiVersion: string; readonly kind: string } {
  const [group, kind = ''] = review.split('/');
  return { apiVersion: `${group}/v1`, kind };
}

/** Returns the review at a path, or undefined. */
export function reviewAt(path: string): Review | undefined {
  return byPath.get(path);
}

const byPath: ReadonlyMap<string, Review> = new Map(
  kinds.map((one) => {
    const { apiVersion, kind } = typeOf(one);
    return [`/apis/${apiVersion}/${kind.toLowerCase()}s`, one];
  }),
);

/** Throws an ApiError for a user who may not ask, because otherwise anyone could try tokens. Everyone may ask about themselves. */
export function permitReview(review: Review, { authorizer, user }: ReviewDeps): void {
  if (review !== 'authentication.k8s.io/TokenReview') return;
  const asked = { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' };
  permit(authorizer, user, { asked });
}

/** Resolves with the answered review, if the user may ask for it. Rejects with an ApiError. */
export async function reviewed(review: Review, body: unknown, deps: ReviewDeps): Promise<object> {
  const { kind } = typeOf(review);
  const shape = { ...typeOf(review), metadata: {} };
  if (review === 'authentication.k8s.io/SelfSubjectReview')
    return { ...shape, status: { userInfo: userInfo(deps.user) } };
  const spec = isRecord(body) ? body['spec'] : undefined;
  if (!isRecord(spec)) throw new ApiError('BadRequest', `${kind}: spec: is required`);
  switch (review) {
    case 'authentication.k8s.io/TokenReview':
      // Do not return the token.
      return { ...shape, spec: {}, status: await tokenStatus(spec, deps) };
    case 'authorization.k8s.io/SelfSubjectRulesReview':
      return { ...shape, spec, status: rulesStatus(deps, textIn(spec, 'namespace')) };
    default:
      return { ...shape, spec, status: accessStatus(spec, deps) };
  }
}

function accessStatus(spec: Json, { authorizer, user }: ReviewDeps): object {
  const { allowed, reason } = authorizer.decide(user, askedIn(spec));
  return { allowed, reason };
}

function askedIn({ resourceAttributes, nonResourceAttributes }: Json): Asked {
  if (isRecord(nonResourceAttributes))
    return { verb: textIn(nonResourceAttributes, 'verb'), path: textIn(nonResourceAttributes, 'path') };
  if (!isRecord(resourceAttributes)) {
    const message = 'SelfSubjectAccessReview: spec: needs resourceAttributes or nonResourceAttributes';
    throw new ApiError('BadRequest', message);
  }
  const given = (name: string): object =>
    textIn(resourceAttributes, name) === '' ? {} : { [name]: textIn(resourceAttributes, name) };
  return {
    verb: textIn(resourceAttributes, 'verb'),
    group: textIn(resourceAttributes, 'group'),
    resource: textIn(resourceAttributes, 'resource'),
    ...given('subresource'),
    ...given('namespace'),
    ...given('name'),
  };
}

function rulesStatus({ authorizer, user }: ReviewDeps, namespace: string): object {
  const rules = authorizer.rulesOf(user, namespace);
  const isOfPaths = ({ nonResourceURLs = [] }: Rule): boolean => nonResourceURLs.length > 0;
  return {
    resourceRules: rules.filter((rule) => !isOfPaths(rule)),
    nonResourceRules: rules.filter(isOfPaths),
    incomplete: false,
  };
}

async function tokenStatus(spec: Json, { authenticator }: ReviewDeps): Promise<object> {
  const token = textIn(spec, 'token');
  if (token === '') throw new ApiError('BadRequest', 'TokenReview: spec.token: is required');
  const found = await authenticator?.authenticate({ authorization: `Bearer ${token}` });
  if (found?.ok !== true)
    return { authenticated: false, error: found?.message ?? 'token authentication is disabled' };
  return { authenticated: true, user: userInfo(found.user) };
}

function userInfo({ name, groups }: User): object {
  return { username: name, groups };
}

function textIn(from: Json, name: string): string {
  const value = Object.hasOwn(from, name) ? from[name] : undefined;
  return typeof value === 'string' ? value : '';
}
