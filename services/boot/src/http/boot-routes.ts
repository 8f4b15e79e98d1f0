import type { HttpRoute } from '@tinkerbell/platform-contract';
import { createBinaryRoute } from './binary-route.ts';
import type { BootFiles } from '../boot-files/index.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import type { Counters } from '../counters.ts';
import { createPxeRoute } from './pxe-route.ts';
import { createScriptRoutes } from './script-route.ts';

interface RoutesInput {
  readonly deps: BootDeps;
  readonly config: BootConfig;
  readonly files: BootFiles;
  readonly counters: Counters;
  readonly iso: HttpRoute | undefined;
}

/** The HTTP routes that are switched on. */
export function bootRoutes({ deps, config, files, counters, iso }: RoutesInput): HttpRoute[] {
  return [
    ...(config.routes.binary ? [createBinaryRoute({ deps, files, counters })] : []),
    ...(config.pxeHttpPrefix === undefined
      ? []
      : [createPxeRoute({ deps, config, files, counters, prefix: config.pxeHttpPrefix })]),
    ...(config.routes.script ? createScriptRoutes({ deps, config, counters, files }) : []),
    ...(iso === undefined ? [] : [iso]),
  ];
}
