/**
 * `/v1/hardware`, `/v1/templates` and `/v1/workflows`, as introductions to Tinkerbell write the REST API of its server: the same
 * objects as below `/apis/tinkerbell.org/v1alpha1`, with the same verbs, answers and rules of who may do what.
 */
import type { HttpRequest } from '@tinkerbell/platform-contract';

const PLURALS = ['hardware', 'templates', 'workflows'] as const;
export const SHORT_PREFIXES: readonly string[] = PLURALS.map((plural) => `/v1/${plural}`);

const SHORT = new RegExp(`^/v1/((?:${PLURALS.join('|')})(?:/[^/]+){0,2})/?$`);

/**
 * The path and query of the Kubernetes API for a short one. `?namespace=` chooses the namespace, else it is `fallback`.
 * Undefined for a path that is none of them.
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

/** The request as it is, or for a short path as if its long one had been asked for; undefined for no path of the API. */
export function withLongPath(request: HttpRequest, fallback: string): HttpRequest | undefined {
  const url = new URL(request.url);
  if (!SHORT_PREFIXES.some((prefix) => url.pathname.startsWith(prefix))) return request;
  const path = longPathFor(url.pathname, url.searchParams, fallback);
  return path === undefined ? undefined : atUrl(request, new URL(path, url).href);
}

/** Its parts only when they are asked for: some exist once. */
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
