/** Who calls the Provisioning API, and what he may do. */
import type { User } from '@tinkerbell/access';
import type { Method } from '@tinkerbell/provisioning';
import type { Hardware } from '@tinkerbell/resources';

export interface Identity {
  /** His name as roles have it; `anonymous` for who has none. */
  readonly user: string;
}

/** One call, whichever way it came. */
export interface ProvisioningCaller {
  /** A header of HTTP or a metadata entry of gRPC, by its name in lower case. */
  header(name: string): string | undefined;
  /** As the listener found it, where that is its task. */
  readonly user?: User;
}

export interface Access {
  /** Tokens say who calls, from wherever it is. */
  readonly knowsTokens?: boolean;
  /** Rejects with an RpcError: `unauthenticated`, or `permission-denied` when he may not make this call at all. */
  identityOf(caller: ProvisioningCaller, method: Method): Promise<Identity>;
  mayProvision(identity: Identity, hardware: Hardware): boolean;
}

/** Without authentication nobody has a name, and the listener alone decides who may call. */
export const anonymousAccess: Access = {
  identityOf: () => Promise.resolve({ user: 'anonymous' }),
  mayProvision: () => true,
};
