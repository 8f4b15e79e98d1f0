/** Who calls the Provisioning API, and what he may do. */
import type { Hardware } from '@tinkerbell/resources';

export interface Identity {
  /** The `sub` of a token, where there are tokens. */
  readonly user: string;
}

/** One call, whichever way it came. */
export interface ProvisioningCaller {
  /** A header of HTTP or a metadata entry of gRPC, by its name in lower case. */
  header(name: string): string | undefined;
}

export interface Access {
  /** Rejects with an RpcError `unauthenticated`. */
  identityOf(caller: ProvisioningCaller): Promise<Identity>;
  mayProvision(identity: Identity, hardware: Hardware): boolean;
}

/** Without authentication it is the sender's place that counts (docs/decisions/0004), and nobody has a name. */
export const anonymousAccess: Access = {
  identityOf: () => Promise.resolve({ user: 'anonymous' }),
  mayProvision: () => true,
};

/** Of a peer as gRPC names it: `127.0.0.1:50123`, `[::1]:50123`. */
export function isLoopback(peer: string): boolean {
  return /^(\[?::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}\]?:\d+$|^(\[::1\]|::1):\d+$/i.test(peer);
}
