import type { HttpContext } from '@tinkerbell/platform-contract';

/**
 * True when the client is this machine itself: on loopback, or reaching an address of ours from that same address, as the
 * system connects to itself.
 */
export function isThisMachine({ peer, localAddress }: Pick<HttpContext, 'peer' | 'localAddress'>): boolean {
  return peer.address.startsWith('127.') || peer.address === '::1' || peer.address === localAddress;
}
