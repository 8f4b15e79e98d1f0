/** Parses route files: YAML text becomes settings, or an error with line and column. */

import { parseYaml, type Position } from '@tinkerbell/yaml';
import { FieldError, Fields, list, type Place } from './fields.ts';
import { forward, listener, network } from './read-listener.ts';
import { route } from './read-route.ts';
import type { RouteFile } from './route-file.ts';

export type RouteFileResult =
  | { readonly ok: true; readonly file: RouteFile }
  | { readonly ok: false; readonly message: string; readonly position: Position };

/** Never throws. An empty text is an empty file. */
export function readRouteFile(text: string): RouteFileResult {
  const yaml = parseYaml(text);
  if (!yaml.ok) return { ok: false, ...yaml.error };
  const [document, another] = yaml.documents;
  if (another !== undefined)
    return { ok: false, message: 'a route file has exactly one document', position: another.position };
  if (document === undefined)
    return { ok: true, file: { listeners: [], routes: [], forwards: [], trustedProxies: [] } };
  try {
    return { ok: true, file: routeFile({ node: document, path: '' }) };
  } catch (thrown) {
    if (thrown instanceof FieldError)
      return { ok: false, message: thrown.message, position: thrown.position };
    throw thrown;
  }
}

function routeFile(place: Place): RouteFile {
  const fields = new Fields(place, ['listeners', 'routes', 'forwards', 'trustedProxies']);
  const listeners = fields.optional('listeners', list(listener)) ?? [];
  const routes = fields.optional('routes', list(route)) ?? [];
  const forwards = fields.optional('forwards', list(forward)) ?? [];
  fields.optional('listeners', (one) => refuseRepeats(one, 'listener', listeners));
  fields.optional('routes', (one) => refuseRepeats(one, 'route', routes));
  fields.optional('forwards', (one) => refuseRepeats(one, 'forward', forwards));
  const trustedProxies = fields.optional('trustedProxies', list(network)) ?? [];
  return { listeners, routes, forwards, trustedProxies };
}

function refuseRepeats(
  { node, path }: Place,
  what: string,
  items: readonly { readonly name: string }[],
): void {
  const names = items.map(({ name }) => name);
  const index = names.findIndex((name, at) => names.indexOf(name) < at);
  const repeated = node.kind === 'list' ? node.items[index] : undefined;
  if (repeated === undefined) return;
  throw new FieldError(
    `${path}[${index}].name: there is another ${what} ${JSON.stringify(names[index])}`,
    repeated.position,
  );
}
