/** Nobody gives away, by a role or a binding, what he does not have himself (Kubernetes' rule against escalation). */
import { exceeds, type AskedResource, type Rule, type User } from '@tinkerbell/access';
import type { Authorizer } from '@tinkerbell/platform-contract';
import {
  clusterRoleBindingKind,
  clusterRoleKind,
  collectionOf,
  roleBindingKind,
  roleKind,
  type BindingResource,
  type Kind,
  type Resource,
  type RoleResource,
} from '@tinkerbell/resources';
import type { Store } from '@tinkerbell/store-contract';
import type { Admission } from '../admission.ts';
import { forbidden } from '../object-errors.ts';
import { builtInClusterRoles } from './built-in-cluster-roles.ts';

export interface Writer {
  readonly store: Store;
  readonly authorizer: Authorizer;
  readonly user: User;
}

/** Admission that also refuses a writer of roles and bindings what he may not give, with an ApiError. */
export function guardedAdmission(admission: Admission, writer: Writer): Admission {
  return {
    async problemsOf(kind, resource, isNew) {
      if (kind === roleKind || kind === clusterRoleKind) refuseRole(kind, resource, writer);
      if (kind === roleBindingKind || kind === clusterRoleBindingKind)
        await refuseBinding(kind, resource as BindingResource, writer);
      return admission.problemsOf(kind, resource, isNew);
    },
  };
}

/** Throws an ApiError for a ClusterRole that is there without being created. */
export function refuseBuiltIn(kind: Kind, name: string | undefined): void {
  if (kind === clusterRoleKind && name !== undefined && builtInClusterRoles.has(name))
    throw forbidden({ kind }, name, 'it is built in; create a ClusterRole of another name');
}

function refuseRole(kind: Kind, { metadata, rules = [] }: RoleResource, writer: Writer): void {
  refuseBuiltIn(kind, metadata.name);
  if (mayEver(writer, { verb: 'escalate', group: kind.group, resource: kind.plural }, metadata)) return;
  const lacking = exceeds(rules, writer.authorizer.rulesOf(writer.user, metadata.namespace ?? ''));
  if (lacking !== undefined) throw forbidden({ kind }, metadata.name, tooMuch(writer.user, lacking));
}

async function refuseBinding(
  kind: Kind,
  { metadata, roleRef }: BindingResource,
  writer: Writer,
): Promise<void> {
  const role = roleRef.kind === 'Role' ? roleKind : clusterRoleKind;
  const asked = { verb: 'bind', group: role.group, resource: role.plural };
  if (mayEver(writer, asked, { name: roleRef.name, namespace: metadata.namespace ?? '' })) return;
  const rules = await rulesIn(writer.store, role, {
    name: roleRef.name,
    namespace: metadata.namespace ?? '',
  });
  if (rules === undefined)
    throw forbidden({ kind }, metadata.name, `there is no ${roleRef.kind} ${JSON.stringify(roleRef.name)}`);
  const lacking = exceeds(rules, writer.authorizer.rulesOf(writer.user, metadata.namespace ?? ''));
  if (lacking !== undefined) throw forbidden({ kind }, metadata.name, tooMuch(writer.user, lacking));
}

/** From the store: a role of a moment ago may not be in the policy yet. */
async function rulesIn(
  store: Store,
  kind: Kind,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<readonly Rule[] | undefined> {
  const within = kind.scope === 'Cluster' ? '' : namespace;
  const stored = await store.get({ collection: collectionOf(kind), namespace: within, name });
  return stored === undefined ? undefined : ((stored.object as RoleResource).rules ?? []);
}

function mayEver(
  { authorizer, user }: Writer,
  asked: AskedResource,
  { name, namespace }: Pick<Resource['metadata'], 'name' | 'namespace'>,
): boolean {
  const within = namespace === undefined || namespace === '' ? {} : { namespace };
  return authorizer.decide(user, { ...asked, ...within, name }).allowed;
}

function tooMuch({ name }: User, lacking: string): string {
  return `user ${JSON.stringify(name)} is attempting to grant RBAC permissions not currently held: ${lacking}`;
}
