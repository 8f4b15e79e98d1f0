/**
 * Detects requests that another web page caused. Pages of other ports of the same host are the same site for `SameSite`, so the cookie
 * alone is not enough.
 */
import type { HttpRequest } from '@tinkerbell/platform-contract';

/** Only scripts can set it, and a script of another origin would first need a permission that the server never gives. */
const CONSOLE_HEADER = 'x-tinkerbell-console';

type Asked = Pick<HttpRequest, 'method' | 'url' | 'headers'>;

/** Returns why a request with a session cookie is rejected, or undefined if a page of this server sent it. */
export function foreignRequest(request: Asked): string | undefined {
  const { headers, method } = request;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none')
    return `the request comes from another web page (Sec-Fetch-Site: ${site})`;
  const origin = headers.get('origin');
  if (origin !== null && URL.parse(origin)?.host !== new URL(request.url).host)
    return `the request comes from another web page (Origin: ${origin})`;
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && !headers.has('upgrade')) return undefined;
  if (origin === null) return 'a request of a session that changes something needs an Origin header';
  // A browser opens WebSockets without headers of the page.
  if (isRead || headers.has(CONSOLE_HEADER)) return undefined;
  return `a request of a session that changes something needs the header ${CONSOLE_HEADER}: 1`;
}
