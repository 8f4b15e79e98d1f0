/** Creates, lists and revokes accounts of programs with their role and tokens. */
import {
  clusterRoleBindingKind,
  clusterRoleKind,
  objectMeta,
  roleBindingKind,
  serviceAccountKind,
  type BindingResource,
  type Resource,
} from '@tinkerbell/resources';
import { tokenRequestIn } from '../client/answers.ts';
import { collectionPathOf, type ApiKind } from '../client/api-kind.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { ApiFailure } from '../client/server-failure.ts';
import type { Session } from '../client/session.ts';

const LABEL = 'tinkerbell.org/token';
const GROUP = 'rbac.authorization.k8s.io' as const;
const roles = { ...clusterRoleKind, namespaced: false };
const clusterWide: ApiKind<BindingResource> = { ...clusterRoleBindingKind, namespaced: false };

export interface TokenWish {
  readonly name: string;
  /** Name of a ClusterRole. */
  readonly role: string;
  readonly seconds: number;
}

export interface MadeToken {
  readonly token: string;
  /** Expiry, RFC 3339. */
  readonly expires: string;
}

/** Creates the account and its binding if they are missing, and a new token. With `-n`, the role applies only in that namespace. */
export async function makeToken(session: Session, { name, role, seconds }: TokenWish): Promise<MadeToken> {
  const { client, namespace, namespaceAsked } = session;
  await requireRole(session, role);
  const account = object(serviceAccountKind, { name, namespace, labels: { [LABEL]: 'true' } });
  await unlessThere(() => client.create(serviceAccountKind, account));
  const kind = namespaceAsked === undefined ? clusterWide : roleBindingKind;
  const place = kind === clusterWide ? {} : { namespace };
  const metadata = { name: bindingName(session, name), labels: { [LABEL]: 'true' }, ...place };
  const binding: BindingResource = {
    ...object(kind, metadata),
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
  await unlessThere(() => client.create(kind, binding));
  const { roleRef } = await client.get({ kind, namespace, name: metadata.name });
  if (roleRef.name !== role)
    throw new TinkFailure(
      `${name} has the role ${roleRef.name}; to change it, run "tink token revoke ${name}" first, which ends its tokens`,
    );
  const path = `${collectionPathOf(serviceAccountKind, namespace)}/${encodeURIComponent(name)}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  const { status } = tokenRequestIn(
    await client.ask(path, { ...request, spec: { expirationSeconds: seconds } }),
  );
  return { token: status.token, expires: status.expirationTimestamp };
}

/** Who may not read roles learns from the server what is wrong. */
async function requireRole({ client, namespace }: Session, name: string): Promise<void> {
  try {
    await client.get({ kind: roles, namespace, name });
  } catch (thrown) {
    if (!(thrown instanceof ApiFailure) || thrown.code !== 404) return;
    const { items } = await client.list(roles, {});
    throw usageFailure(
      `there is no role "${name}"`,
      `roles: ${items.map(({ metadata }) => metadata.name).join(', ')}`,
    );
  }
}

export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly role: string;
  /** Empty for all namespaces. */
  readonly within: string;
  readonly created: string;
}

export async function accountsMade({ client }: Session): Promise<readonly Account[]> {
  const labelSelector = LABEL;
  const lists = await Promise.all(
    [roleBindingKind, clusterWide].map((kind) => client.list(kind, { labelSelector })),
  );
  return lists
    .flatMap(({ items }) => items)
    .map(({ metadata, roleRef, subjects }) => ({
      namespace: subjects?.[0]?.namespace ?? '',
      name: subjects?.[0]?.name ?? '',
      role: roleRef.name,
      within: metadata.namespace ?? '',
      created: metadata.creationTimestamp ?? '',
    }));
}

/** Deletes the account, which ends all its tokens, and its bindings. Throws a TinkFailure if the account does not exist. */
export async function revokeTokens(session: Session, name: string): Promise<void> {
  const { client, namespace } = session;
  await client.remove({ kind: serviceAccountKind, namespace, name });
  for (const kind of [roleBindingKind, clusterWide])
    await client.remove({ kind, namespace, name: bindingName(session, name) }).catch((thrown: unknown) => {
      if (!(thrown instanceof ApiFailure) || thrown.code !== 404) throw thrown;
    });
}

function bindingName({ namespace }: Session, name: string): string {
  return `token-${namespace}-${name}`;
}

function object(kind: ApiKind, metadata: Parameters<typeof objectMeta>[0]): Resource {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return { apiVersion, kind: kind.kind, metadata: objectMeta(metadata) };
}

async function unlessThere(create: () => Promise<unknown>): Promise<void> {
  await create().catch((thrown: unknown) => {
    if (!(thrown instanceof ApiFailure) || thrown.code !== 409) throw thrown;
  });
}
