/** True for this machine itself: loopback, or one of its own addresses. */
export function mayUseApi(peer: string, ownAddresses: readonly string[]): boolean {
  return peer.startsWith('127.') || peer === '::1' || ownAddresses.includes(peer);
}
