/**
 * User impersonation (kubectl --as): https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation.
 * A header of this family is honoured if the user has the verb `impersonate`. Otherwise it is rejected, never ignored.
 */
import {
  ANONYMOUS,
  AUTHENTICATED,
  serviceAccountUser,
  type AskedResource,
  type User,
} from '@tinkerbell/access';
import type { Authorizer, HttpRequest } from '@tinkerbell/platform-contract';
import type { Admitted } from '../http/api-access.ts';

const OF_FAMILY = /^impersonate-/i;
const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
/** Limit of groups per request. */
const GROUPS_MAX = 32;

/** Returns the user to act as for the rest of the request. */
export function impersonated(
  { headers }: Pick<HttpRequest, 'headers'>,
  user: User,
  authorizer: Authorizer | undefined,
): Admitted {
  const given: string[] = [];
  for (const name of headers.keys()) if (OF_FAMILY.test(name)) given.push(name.toLowerCase());
  if (given.length === 0) return { user };
  const other = given.find((name) => name !== USER && name !== GROUP);
  if (other !== undefined)
    return { code: 403, message: `${other} is not supported; use Impersonate-User and Impersonate-Group` };
  const name = headers.get(USER) ?? '';
  if (name === '') return { code: 400, message: 'Impersonate-Group requires Impersonate-User' };
  const groups = groupsIn(headers.get(GROUP) ?? '');
  const asked = [subjectOf(name), ...groups.map(groupOf)];
  if (asked.length > GROUPS_MAX) return { code: 400, message: `too many groups (limit: ${GROUPS_MAX})` };
  for (const one of asked) {
    const refusal = refusalOf(authorizer, user, one);
    if (refusal !== undefined) return { code: 403, message: refusal };
  }
  return { user: { ...userNamed(name, groups), impersonatedBy: user.name } };
}

function groupsIn(header: string): readonly string[] {
  return header
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function refusalOf(authorizer: Authorizer | undefined, user: User, asked: Impersonated): string | undefined {
  const decision = authorizer?.decide(user, { ...asked, verb: 'impersonate' });
  if (decision?.allowed === true) return undefined;
  const who = `${asked.resource} ${JSON.stringify(asked.name)}`;
  return `${who} is forbidden: ${decision?.reason ?? 'impersonation is disabled'}`;
}

type Impersonated = Omit<AskedResource, 'verb'>;

function subjectOf(name: string): Impersonated {
  const [, namespace, account] = accountOf(name);
  if (namespace === undefined || account === undefined) return { group: '', resource: 'users', name };
  return { group: '', resource: 'serviceaccounts', namespace, name: account };
}

function groupOf(name: string): Impersonated {
  return { group: '', resource: 'groups', name };
}

function accountOf(name: string): readonly (string | undefined)[] {
  return /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
}

/** Returns the groups that Kubernetes adds for a user name. */
function userNamed(name: string, groups: readonly string[]): User {
  if (name === ANONYMOUS.name) return ANONYMOUS;
  const [, namespace, account] = accountOf(name);
  if (namespace !== undefined && account !== undefined && groups.length === 0)
    return serviceAccountUser(namespace, account);
  return { name, groups: [...new Set([...groups, AUTHENTICATED])] };
}
