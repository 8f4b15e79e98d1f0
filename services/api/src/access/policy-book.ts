/** Roles, bindings and accounts in memory, following the store. Authorization never reads the store. */
import { builtInRoles, decide, rulesOf, type Binding, type Policy, type Rule } from '@tinkerbell/access';
import type { Authorizer, Clock, Log } from '@tinkerbell/platform-contract';
import {
  clusterRoleBindingKind,
  clusterRoleKind,
  collectionOf,
  roleBindingKind,
  roleKind,
  serviceAccountKind,
  type BindingResource,
  type KindOf,
  type Resource,
  type RoleResource,
} from '@tinkerbell/resources';
import { Collection, type ObjectKey, type Store, type StoredObject } from '@tinkerbell/store-contract';
import { followStore } from '../follow-store.ts';

export interface PolicyBookDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export interface PolicyBook extends Authorizer {
  /** Resolves when everything available is loaded. Follows the store until the signal. */
  start(signal: AbortSignal): Promise<void>;
  /** Returns the uid of a ServiceAccount; undefined if it does not exist. */
  accountUid(namespace: string, name: string): string | undefined;
}

export function createPolicyBook(deps: PolicyBookDeps): PolicyBook {
  const roles = new Map<string, readonly Rule[]>();
  const bindings = new Map<string, Binding>();
  const accounts = new Map<string, string>();
  let ofBindings: readonly Binding[] | undefined;
  const policy: Policy = {
    get bindings() {
      return (ofBindings ??= [...bindings.values()]);
    },
    rules: (role, namespace) =>
      role.kind === 'ClusterRole'
        ? (builtInRoles.get(role.name) ?? roles.get(keyText('', role.name)))
        : roles.get(keyText(namespace ?? '', role.name)),
  };
  const putRole = (key: ObjectKey, role?: RoleResource): void =>
    put(roles, key, role === undefined ? undefined : (role.rules ?? []));
  const putBinding = (key: ObjectKey, binding?: BindingResource): void => {
    put(bindings, key, binding === undefined ? undefined : bindingOf(key, binding));
    ofBindings = undefined;
  };
  const putAccount = (key: ObjectKey, account?: Resource): void => put(accounts, key, account?.metadata.uid);
  return {
    decide: (user, asked) => decide(user, asked, policy),
    rulesOf: (user, namespace) => rulesOf(user, namespace, policy),
    accountUid: (namespace, name) => accounts.get(keyText(namespace, name)),
    start: async (signal) =>
      void (await Promise.all([
        followKind(deps, { kind: clusterRoleKind, change: putRole }, signal),
        followKind(deps, { kind: roleKind, change: putRole }, signal),
        followKind(deps, { kind: clusterRoleBindingKind, change: putBinding }, signal),
        followKind(deps, { kind: roleBindingKind, change: putBinding }, signal),
        followKind(deps, { kind: serviceAccountKind, change: putAccount }, signal),
      ])),
  };
}

interface Followed<Object extends Resource> {
  readonly kind: KindOf<Object>;
  readonly change: (key: ObjectKey, object?: Object) => void;
}

/** If the store rejects reading roles, the server starts without roles. */
async function followKind<Object extends Resource>(
  deps: PolicyBookDeps,
  { kind, change }: Followed<Object>,
  signal: AbortSignal,
): Promise<void> {
  const collection = new Collection<Object>(collectionOf(kind));
  const known = new Map<string, ObjectKey>();
  let listed = new Set<string>();
  const followers = {
    onObject: (stored: StoredObject) => {
      if (!collection.holds(stored)) return;
      const { key, object } = stored;
      known.set(keyText(key.namespace, key.name), key);
      listed.add(keyText(key.namespace, key.name));
      change(key, object);
    },
    onDeleted: ({ key }: { key: ObjectKey }) => {
      known.delete(keyText(key.namespace, key.name));
      change(key);
    },
    onListing: () => {
      listed = new Set();
    },
    onListed: () => {
      for (const [text, key] of known) if (!listed.has(text) && known.delete(text)) change(key);
    },
  };
  await followStore({ ...deps, collections: () => [collection.name] }, followers, signal).catch(
    (thrown: unknown) => {
      deps.log.warn('cannot read roles; they grant no permissions', {
        collection: collection.name,
        error: String(thrown),
      });
    },
  );
}

function bindingOf({ namespace, name }: ObjectKey, { roleRef, subjects = [] }: BindingResource): Binding {
  return { name, roleRef, subjects, ...(namespace === '' ? {} : { namespace }) };
}

/** Cluster-scoped objects have no namespace, so one map holds both scopes. */
function keyText(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function put<Value>(map: Map<string, Value>, { namespace, name }: ObjectKey, value: Value | undefined): void {
  if (value === undefined) map.delete(keyText(namespace, name));
  else map.set(keyText(namespace, name), value);
}
