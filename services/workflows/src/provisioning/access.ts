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

/** Without authentication it is the sender's place that counts, and nobody has a name. */
export const anonymousAccess: Access = {
  identityOf: () => Promise.resolve({ user: 'anonymous' }),
  mayProvision: () => true,
};

/** Of a peer as gRPC names it: `127.0.0.1:50123`, `[::1]:50123`. */
export function isLoopback(peer: string): boolean {
  return /^(\[?::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}\]?:\d+$|^(\[::1\]|::1):\d+$/i.test(peer);
}
