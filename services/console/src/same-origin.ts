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
  return otherPage(request) ?? missingProof(request);
}

function otherPage({ headers, url }: Asked): string | undefined {
  const site = headers.get('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none')
    return `the request comes from another web page (Sec-Fetch-Site: ${site})`;
  const origin = headers.get('origin');
  return origin === null || URL.parse(origin)?.host === new URL(url).host
    ? undefined
    : `the request comes from another web page (Origin: ${origin})`;
}

/** A browser sends the Origin with every change and every WebSocket, and WebSockets have no headers of the page. */
function missingProof({ headers, method }: Asked): string | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const isSocket = isRead && headers.has('upgrade');
  if (isRead && !isSocket) return undefined;
  if (!headers.has('origin')) return 'a request of a session that changes something needs an Origin header';
  return isSocket || headers.has(CONSOLE_HEADER)
    ? undefined
    : `a request of a session that changes something needs the header ${CONSOLE_HEADER}: 1`;
}
