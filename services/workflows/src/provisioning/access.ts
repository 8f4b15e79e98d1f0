/** Callers of the Provisioning API, and what they may do. */
import type { User } from '@tinkerbell/access';
import type { Method } from '@tinkerbell/provisioning';
import type { Hardware } from '@tinkerbell/resources';

export interface Identity {
  /** The caller's name as used in roles, and `anonymous` for a caller without one. */
  readonly user: string;
}

/** One call, by either protocol. */
export interface ProvisioningCaller {
  /** Returns an HTTP header or a gRPC metadata entry, by its name in lower case. */
  header(name: string): string | undefined;
  /** The caller that the listener authenticated, if that is the listener's task. */
  readonly user?: User;
}

export interface Access {
  /** Tokens identify the caller, from any address. */
  readonly knowsTokens?: boolean;
  /** Rejects with an RpcError: `unauthenticated`, or `permission-denied` when the caller may not make this call at all. */
  identityOf(caller: ProvisioningCaller, method: Method): Promise<Identity>;
  mayProvision(identity: Identity, hardware: Hardware): boolean;
}

/** Without authentication callers have no name, and only the listener decides which may call. */
export const anonymousAccess: Access = {
  identityOf: () => Promise.resolve({ user: 'anonymous' }),
  mayProvision: () => true,
};
