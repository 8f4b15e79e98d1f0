/** Authenticates callers of the Provisioning API by token, and authorizes them by role. */
import { ANONYMOUS, type AskedResource, type User } from '@tinkerbell/access';
import type { Authenticator, Authorizer } from '@tinkerbell/platform-contract';
import type { Method } from '@tinkerbell/provisioning';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Access } from './access.ts';

export interface GuardedAccessDeps {
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  /** The namespace of the jobs. */
  readonly namespace: string;
}

/** The object permission that each call needs, so that one set of roles covers everything. */
const asked: Readonly<Record<Method, Pick<AskedResource, 'verb' | 'resource' | 'subresource'>>> = {
  ProvisionDevice: { verb: 'create', resource: 'workflows' },
  CreateJob: { verb: 'create', resource: 'workflows' },
  GetJobStatus: { verb: 'get', resource: 'workflows' },
  ListJobs: { verb: 'list', resource: 'workflows' },
  WatchJob: { verb: 'watch', resource: 'workflows' },
  CancelJob: { verb: 'create', resource: 'workflows', subresource: 'cancel' },
  RetryJob: { verb: 'create', resource: 'workflows', subresource: 'retry' },
  ApplyConfiguration: { verb: 'patch', resource: 'hardware' },
};

export function guardedAccess({ authorizer, authenticator, namespace }: GuardedAccessDeps): Access {
  return {
    knowsTokens: true,
    async identityOf(caller, method) {
      const user = caller.user ?? (await userOfToken(authenticator, caller.header('authorization')));
      // Only --api-anonymous=everyone admits a caller without a credential.
      if (user === undefined) return { user: 'anonymous' };
      const decision = authorizer.decide(user, { ...asked[method], group: 'tinkerbell.org', namespace });
      if (decision.allowed) return { user: user.name === ANONYMOUS.name ? 'anonymous' : user.name };
      throw new RpcError('permission-denied', decision.reason);
    },
    mayProvision: () => true,
  };
}

async function userOfToken(
  authenticator: Authenticator,
  authorization: string | undefined,
): Promise<User | undefined> {
  const found = await authenticator.authenticate({ authorization });
  if (found === undefined) return undefined;
  if (found.ok) return found.user;
  throw new RpcError('unauthenticated', found.message);
}
