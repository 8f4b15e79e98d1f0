/** Decides whether a user may perform a request. The order of rules does not matter, and no rule denies. */
import { permits, type Asked } from './permits.ts';
import type { Binding, Policy, Rule, Subject } from './role.ts';
import { MASTERS, type User } from './user.ts';

export type Decision =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason: string };

export function decide(user: User, asked: Asked, policy: Policy): Decision {
  if (user.groups.includes(MASTERS)) return { allowed: true, reason: `group ${MASTERS}` };
  for (const binding of policy.bindings) {
    if (!isInForce(binding, asked.namespace) || !isBound(binding, user)) continue;
    const rules = policy.rules(binding.roleRef, binding.namespace) ?? [];
    if (rules.some((rule) => permits(rule, asked))) return { allowed: true, reason: reasonOf(binding) };
  }
  return { allowed: false, reason: refusal(user, asked) };
}

/** The user's permissions in a namespace, and for cluster-scoped requests. */
export function rulesOf(user: User, namespace: string, policy: Policy): Rule[] {
  if (user.groups.includes(MASTERS))
    return [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
  return policy.bindings
    .filter((binding) => isInForce(binding, namespace) && isBound(binding, user))
    .flatMap((binding) => policy.rules(binding.roleRef, binding.namespace) ?? []);
}

/** A binding of a namespace grants nothing in other namespaces or for cluster-scoped objects. */
function isInForce(binding: Binding, namespace: string | undefined): boolean {
  return binding.namespace === undefined || binding.namespace === namespace;
}

function isBound({ subjects }: Binding, user: User): boolean {
  return subjects.some((subject) => isSubject(subject, user));
}

function isSubject({ kind, name, namespace }: Subject, user: User): boolean {
  switch (kind) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${namespace ?? ''}:${name}`;
    default:
      return false;
  }
}

function reasonOf({ name, namespace, roleRef }: Binding): string {
  const binding = namespace === undefined ? `ClusterRoleBinding ${name}` : `RoleBinding ${namespace}/${name}`;
  return `${binding} of ${roleRef.kind} ${roleRef.name}`;
}

/** Uses the text of Kubernetes, which clients show and people search for. */
function refusal(user: User, asked: Asked): string {
  if ('path' in asked) return `User "${user.name}" cannot ${asked.verb} path "${asked.path}"`;
  const { verb, group, resource, subresource, namespace } = asked;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `User "${user.name}" cannot ${verb} resource "${full}" in API group "${group}" ${where}`;
}
