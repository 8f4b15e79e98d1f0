/** What settings need of a route file. The server loads the rest of the gateway only if it runs one. */
import { readRouteFile } from './read-route-file.ts';
import type { RouteFile } from './route-file.ts';

export { parseEndpoint } from './read-listener.ts';

/** @throws Error `FILE:LINE:COLUMN: message`. */
export function routesIn(text: string, path: string): RouteFile {
  const read = readRouteFile(text);
  if (read.ok) return read.file;
  throw new Error(`${path}:${read.position.line}:${read.position.column}: ${read.message}`);
}
