export { readRouteFile, type RouteFileResult } from './read-route-file.ts';
export type { JwtSettings, RouteFile } from './route-file.ts';
