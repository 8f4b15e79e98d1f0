import type { HttpRoute } from '@tinkerbell/platform-contract';
import { createBinaryRoute } from './binary-route.ts';
import type { BootFiles } from '../boot-files/index.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { createPxeRoute } from './pxe-route.ts';
import { createScriptRoutes } from './script-route.ts';

interface RoutesInput {
  readonly deps: BootDeps;
  readonly config: BootConfig;
  readonly files: BootFiles;
  readonly metrics: BootMetrics;
  readonly iso: HttpRoute | undefined;
}

/** Returns the enabled HTTP routes. */
export function bootRoutes({ deps, config, files, metrics, iso }: RoutesInput): HttpRoute[] {
  return [
    ...(config.routes.binary ? [createBinaryRoute({ deps, files, metrics })] : []),
    ...(config.pxeHttpPrefix === undefined
      ? []
      : [createPxeRoute({ deps, config, files, metrics, prefix: config.pxeHttpPrefix })]),
    ...(config.routes.script ? createScriptRoutes({ deps, config, metrics, files }) : []),
    ...(iso === undefined ? [] : [iso]),
  ];
}
