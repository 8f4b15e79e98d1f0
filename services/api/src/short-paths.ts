/**
 * `/v1/hardware`, `/v1/templates` and `/v1/workflows`, the paths in introductions to Tinkerbell's REST API. They serve the same
 * objects as `/apis/tinkerbell.org/v1alpha1`, with the same verbs, answers and permissions.
 */
import { pathNameOf, type HttpRequest } from '@tinkerbell/platform-contract';

const PLURALS = ['hardware', 'templates', 'workflows'] as const;
export const SHORT_PREFIXES: readonly string[] = PLURALS.map((plural) => `/v1/${plural}`);

const SHORT = new RegExp(`^/v1/((?:${PLURALS.join('|')})(?:/[^/]+){0,2})/?$`);

/**
 * Returns the Kubernetes API path and query of a short path. The namespace is `?namespace=`, else `fallback`.
 * Returns undefined for any other path.
 */
export function longPathFor(path: string, query: URLSearchParams, fallback: string): string | undefined {
  const rest = SHORT.exec(path)?.[1];
  if (rest === undefined) return undefined;
  const others = new URLSearchParams(query);
  others.delete('namespace');
  const namespace = encodeURIComponent(query.get('namespace') || fallback);
  const tail = others.size === 0 ? '' : `?${others.toString()}`;
  return `/apis/tinkerbell.org/v1alpha1/namespaces/${namespace}/${rest}${tail}`;
}

/** Returns the request, with a short path replaced by its long one; undefined if the path does not belong to the API. */
export function withLongPath(request: HttpRequest, fallback: string): HttpRequest | undefined {
  const name = pathNameOf(request.url);
  if (!SHORT_PREFIXES.some((prefix) => name.startsWith(prefix))) return request;
  const url = new URL(request.url);
  const path = longPathFor(url.pathname, url.searchParams, fallback);
  return path === undefined ? undefined : atUrl(request, new URL(path, url).href);
}

/** Reads the parts lazily, because some can be read only once. */
function atUrl(request: HttpRequest, url: string): HttpRequest {
  const chunks = request.chunks?.bind(request);
  return {
    url,
    method: request.method,
    headers: request.headers,
    get signal() {
      return request.signal;
    },
    get body() {
      return request.body;
    },
    text: () => request.text(),
    json: () => request.json(),
    arrayBuffer: () => request.arrayBuffer(),
    ...(chunks === undefined ? {} : { chunks }),
  };
}
