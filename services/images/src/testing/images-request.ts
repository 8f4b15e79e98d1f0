import type { Service } from '@tinkerbell/platform-contract';

/** Returns the answer of the service's first route to a GET below /images/, for tests. */
export async function requestImage(
  service: Service,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response | undefined> {
  const request = new Request(`http://server/images/${path}`, { headers });
  const peer = { address: '192.0.2.1', port: 1 };
  return service.routes[0]?.handle(request, { peer, localAddress: '192.0.2.2', signal: request.signal });
}
