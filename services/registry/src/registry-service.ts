import {
  PlatformError,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { PEERS_PATH } from '@tinkerbell/images';
import { authorizationOf, rejection } from './access.ts';
import { createRegistryMetrics, type RegistryMetrics } from './metrics.ts';
import { GARBAGE_PATH, Registry, type RegistryConfig, type RegistryDeps } from './registry.ts';
import { errorResponse, registryErrorOf, RegistryError } from './registry-error.ts';
import { REGISTRY_PREFIX } from './registry-path.ts';

/** After a failure of the disk. */
const REOPEN_MS = 30 * 1000;

/** A registry of container images: OCI distribution specification v1.1. Its files are described in `layout.ts`. */
export function createRegistryService(deps: RegistryDeps, config: RegistryConfig): Service {
  const set = new MetricSet();
  const metrics = createRegistryMetrics(set);
  const ended = Promise.withResolvers<void>();
  let registry: Registry | undefined;
  let failure: string | undefined = 'its files are being opened';
  const answered = (request: HttpRequest, context: HttpContext): Promise<Response | undefined> =>
    answerOf(metrics, () => {
      if (registry === undefined)
        throw new RegistryError('UNAVAILABLE', `the registry is not ready: ${failure}`);
      return registry.answer(request, context);
    });
  /** A broken or full disk must not keep the other services from starting. */
  const open = async (signal: AbortSignal): Promise<void> => {
    try {
      const opened = new Registry(await deps.openTree(config.directory), { deps, config, metrics });
      await opened.open(signal);
      registry = opened;
      failure = undefined;
    } catch (thrown) {
      if (!(thrown instanceof PlatformError)) throw thrown;
      failure = thrown.message;
      deps.log.error('the registry cannot open its files, and tries again', { error: failure });
      const cancel = deps.clock.schedule(REOPEN_MS, () => void open(signal));
      signal.addEventListener('abort', cancel, { once: true });
    }
  };
  return {
    name: 'registry',
    routes: routesFor(answered, config),
    metrics: set,
    async start(signal) {
      await open(signal);
      if (signal.aborted) ended.resolve();
      else signal.addEventListener('abort', () => ended.resolve(), { once: true });
    },
    stopped: () => ended.promise,
    health: () => (failure === undefined ? { ready: true } : { ready: false, reason: failure }),
  };
}

function routesFor(handle: HttpRoute['handle'], { peers }: RegistryConfig): readonly HttpRoute[] {
  const route = { access: 'api', handle, authorizationOf, rejection } as const;
  // Agents ask with the session of their machine, which the handler checks.
  const asked = { name: 'registry-peers', prefix: PEERS_PATH, publicMethods: ['POST'] };
  return [
    { ...route, name: 'registry', prefix: REGISTRY_PREFIX, isPublic: () => true },
    { ...route, name: 'registry-gc', prefix: GARBAGE_PATH },
    ...(peers === undefined ? [] : [{ ...route, ...asked, isPublic: () => true }]),
  ];
}

async function answerOf(
  metrics: RegistryMetrics,
  answer: () => Promise<Response | undefined>,
): Promise<Response | undefined> {
  try {
    return await answer();
  } catch (thrown) {
    const error = registryErrorOf(thrown);
    if (error === undefined) throw thrown;
    metrics.rejected.add({ code: error.code });
    return errorResponse(error);
  }
}
