/** Rejects roles and bindings that grant permissions their writer lacks (Kubernetes' privilege escalation prevention). */
import { exceeds, type AskedResource, type Rule, type User } from '@tinkerbell/access';
import type { Authorizer } from '@tinkerbell/platform-contract';
import {
  clusterRoleBindingKind,
  clusterRoleKind,
  collectionOf,
  hardwareKind,
  ofKind,
  roleBindingKind,
  roleKind,
  USE_HARDWARE,
  usedHardware,
  workflowKind,
  workflowRuleSetKind,
  type BindingResource,
  type Kind,
  type Resource,
  type RoleResource,
  type Workflow,
  type WorkflowRuleSet,
} from '@tinkerbell/resources';
import { workflowCollection, type Store } from '@tinkerbell/store-contract';
import type { Admission } from '../admission.ts';
import { forbidden } from '../object-errors.ts';
import { builtInClusterRoles } from './built-in-cluster-roles.ts';

export interface Writer {
  readonly store: Store;
  readonly authorizer: Authorizer;
  readonly user: User;
}

/**
 * Admission that also rejects objects beyond their writer's permissions: roles, bindings, machines and namespaces. Rejects
 * with an ApiError.
 */
export function guardedAdmission(admission: Admission, writer: Writer): Admission {
  return {
    async judge(kind, resource, { isNew }) {
      if (kind === roleKind || kind === clusterRoleKind) refuseRole(kind, resource, writer);
      if (kind === roleBindingKind || kind === clusterRoleBindingKind)
        await refuseBinding(kind, ofKind<BindingResource>(resource, kind), writer);
      if (kind === workflowKind) await refuseUse(ofKind(resource, workflowKind), writer);
      if (kind === workflowRuleSetKind) refuseElsewhere(ofKind(resource, workflowRuleSetKind), writer);
      return admission.judge(kind, resource, { isNew, author: writer.user.name });
    },
  };
}

/** A Workflow runs on a machine of another namespace only if its writer may `use` it. Existing permissions stay valid. */
async function refuseUse(workflow: Workflow, writer: Writer): Promise<void> {
  const { namespace, name } = workflow.metadata;
  const wanted = usedHardware(workflow);
  if (wanted.length === 0) return;
  const before = await workflowCollection.get(writer.store, { namespace, name });
  const known = before === undefined ? [] : usedHardware(before.object);
  for (const one of wanted.filter((each) => !known.includes(each))) {
    const [place = '', machine = ''] = one.split('/');
    const asked = { verb: 'use', group: hardwareKind.group, resource: hardwareKind.plural };
    if (mayEver(writer, asked, { namespace: place, name: machine })) continue;
    const why = `user ${JSON.stringify(writer.user.name)} cannot use hardware ${JSON.stringify(one)}, which ${USE_HARDWARE} names`;
    throw forbidden({ kind: workflowKind }, name, why);
  }
}

/** A rule set creates Workflows only where its writer may create them. */
function refuseElsewhere({ metadata, spec }: WorkflowRuleSet, writer: Writer): void {
  const target = spec?.workflow?.namespace || metadata.namespace;
  if (target === metadata.namespace) return;
  const asked = { verb: 'create', group: workflowKind.group, resource: workflowKind.plural };
  if (mayEver(writer, asked, { namespace: target, name: '' })) return;
  const why = `user ${JSON.stringify(writer.user.name)} cannot create workflows in the namespace ${JSON.stringify(target)}, which spec.workflow.namespace names`;
  throw forbidden({ kind: workflowRuleSetKind }, metadata.name, why);
}

/** Throws an ApiError for a built-in ClusterRole. */
export function refuseBuiltIn(kind: Kind, name: string | undefined): void {
  if (kind === clusterRoleKind && name !== undefined && builtInClusterRoles.has(name))
    throw forbidden({ kind }, name, 'it is built in; create a ClusterRole with another name');
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
    throw forbidden({ kind }, metadata.name, `${roleRef.kind} ${JSON.stringify(roleRef.name)} not found`);
  const lacking = exceeds(rules, writer.authorizer.rulesOf(writer.user, metadata.namespace ?? ''));
  if (lacking !== undefined) throw forbidden({ kind }, metadata.name, tooMuch(writer.user, lacking));
}

/** Reads the store, because the policy may not have the latest role yet. */
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
