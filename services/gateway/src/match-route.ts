/** Finds the route of a request. */
import type { MatchSettings, RouteSettings } from './route-file.ts';

export interface RequestFacts {
  readonly listener: string;
  /** Lower case, without port. */
  readonly host: string;
  /** The name in the TLS handshake in lower case, or empty without one. */
  readonly sni: string;
  /** Normal form, without query. */
  readonly path: string;
  readonly isGrpc: boolean;
  /** Header values by lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** Higher priority first, then the more specific, then the order of the file. */
export function inOrder(routes: readonly RouteSettings[]): readonly RouteSettings[] {
  return routes
    .map((route) => ({ route, key: [route.priority, ...specificity(route.match)] }))
    .sort((left, right) => compare(right.key, left.key))
    .map(({ route }) => route);
}

/** Returns the first match among ordered routes. */
export function matchRoute(routes: readonly RouteSettings[], facts: RequestFacts): RouteSettings | undefined {
  return routes.find(
    ({ listeners, match }) =>
      (listeners.length === 0 || listeners.includes(facts.listener)) &&
      (match.host === undefined || matchesHost(match.host, facts.host)) &&
      (match.sni === undefined || matchesHost(match.sni, facts.sni)) &&
      matchesPath(match, facts) &&
      [...match.headers].every(([name, wanted]) => matchesHeader(wanted, facts.header(name))),
  );
}

function specificity(match: MatchSettings): readonly number[] {
  const { host, sni, grpcService, grpcMethod, pathPrefix, pathRegex, headers } = match;
  return [
    ...hostSpecificity(host),
    ...hostSpecificity(sni),
    (grpcService === undefined ? 0 : 1) + (grpcMethod === undefined ? 0 : 1),
    Math.max(pathPrefix?.length ?? 0, pathRegex?.pattern().length ?? 0),
    headers.size,
  ];
}

function hostSpecificity(host: string | undefined): readonly [number, number] {
  if (host === undefined) return [0, 0];
  return [host.startsWith('*.') ? 1 : 2, host.length];
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((value, at) => value !== right[at]);
  return (left[index] ?? 0) - (right[index] ?? 0);
}

export function matchesHost(wanted: string, host: string): boolean {
  if (!wanted.startsWith('*.')) return wanted === host;
  return host.length > wanted.length - 1 && host.endsWith(wanted.slice(1));
}

function matchesPath(match: MatchSettings, { path, isGrpc }: RequestFacts): boolean {
  const { pathPrefix, pathRegex, grpcService, grpcMethod } = match;
  if (pathPrefix !== undefined && !hasPrefix(path, pathPrefix)) return false;
  if (pathRegex !== undefined && !pathRegex.matcher(path).lookingAt()) return false;
  if (grpcService === undefined) return true;
  const prefix = `/${grpcService}/`;
  if (!isGrpc || !path.startsWith(prefix)) return false;
  return grpcMethod === undefined || path === prefix + grpcMethod;
}

function hasPrefix(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return prefix.endsWith('/') || path.length === prefix.length || path[prefix.length] === '/';
}

function matchesHeader(wanted: string | true, value: string | undefined): boolean {
  return wanted === true ? value !== undefined : value === wanted;
}
