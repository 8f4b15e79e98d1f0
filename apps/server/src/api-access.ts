import type { HttpContext, HttpRequest } from '@tinkerbell/platform-contract';

/** `loopback`: this machine only. */
export type ApiAudience = 'loopback' | 'everyone';

/**
 * Why a request may not use the API, in words for its sender; undefined when it may. Without authentication it is the
 * sender's place that counts, so a browser must not lend its own: a page from elsewhere sends an Origin, and one that got
 * in by rebinding its name to our address still says that name in Host.
 */
export function apiRefusal(
  request: HttpRequest,
  context: Pick<HttpContext, 'peer' | 'localAddress'>,
  audience: ApiAudience,
): string | undefined {
  if (request.headers.has('origin')) return 'the API does not answer web pages';
  if (audience === 'everyone') return undefined;
  if (!isThisMachine(context)) {
    return `the API answers this machine only; ${context.peer.address} needs the server to run with --api-anonymous=everyone`;
  }
  const { hostname } = new URL(request.url);
  const isAddress = /^[\d.]+$|^\[.*\]$/.test(hostname);
  return isAddress || hostname === 'localhost'
    ? undefined
    : `the API is reached by address or as localhost, not as ${hostname}`;
}

/** On loopback, or reaching an address of ours from that same address, as the system connects to itself. */
function isThisMachine({ peer, localAddress }: Pick<HttpContext, 'peer' | 'localAddress'>): boolean {
  return peer.address.startsWith('127.') || peer.address === '::1' || peer.address === localAddress;
}
