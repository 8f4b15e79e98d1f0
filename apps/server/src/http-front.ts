/** The one HTTP port: health and metrics, then the routes of the services in order. */
import {
  pathNameOf,
  WholeResponse,
  type Authenticator,
  type HttpContext,
  type HttpHandler,
  type HttpRequest,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import { admitted, type Admitted, type ApiAudience } from './api-access.ts';
import type { Readiness } from './readiness.ts';
import { createRequestCounts } from './request-counts.ts';

export interface FrontOptions {
  readonly services: readonly Service[];
  readonly apiAnonymous: ApiAudience;
  readonly authenticator?: Authenticator;
  readonly readiness: Readiness;
  readonly uptimeSeconds: () => number;
}

export function createHttpFront(options: FrontOptions): HttpHandler {
  const counts = createRequestCounts();
  const routes = options.services.flatMap((service) => service.routes);
  return async (request, context) => {
    const path = pathNameOf(request.url);
    const response = (await own(path, request.url)) ?? (await routed(path, request, context));
    counts.add(request.method, response.status);
    return response;
  };

  function own(path: string, url: string): Response | Promise<Response> | undefined {
    switch (path) {
      case '/healthz':
        return options.readiness.healthz(isVerbose(url));
      case '/readyz':
        return options.readiness.readyz(isVerbose(url));
      case '/healthcheck':
        return Response.json({
          git_rev: 'unknown',
          uptime_seconds: options.uptimeSeconds().toFixed(2),
          goroutines: 0,
        });
      case '/metrics':
        return metrics(options.services, counts.named());
      default:
        return undefined;
    }
  }

  async function routed(path: string, request: HttpRequest, context: HttpContext): Promise<Response> {
    for (const route of routes) {
      if (!path.startsWith(route.prefix)) continue;
      const response = await (route.name === 'api' ? guarded : open)(route, request, context);
      if (response !== undefined) return response;
    }
    return text('no such page\n', 404);
  }

  async function guarded(
    route: HttpRoute,
    request: HttpRequest,
    context: HttpContext,
  ): Promise<Response | undefined> {
    const { authenticator, apiAnonymous: anonymous } = options;
    const found = await admitted(request, context, { authenticator, anonymous });
    if (!('user' in found)) return refusal(route, found);
    const { peer, localAddress, signal } = context;
    return route.handle(request, { peer, localAddress, signal, user: found.user });
  }
}

function open(route: HttpRoute, request: HttpRequest, context: HttpContext): Promise<Response | undefined> {
  return route.handle(request, context);
}

/** A Status as Kubernetes has it, unless the route has words of its own. */
function refusal(
  route: HttpRoute,
  { code, message, isBadToken }: Exclude<Admitted, { readonly user: unknown }>,
): Response {
  if (route.refuse !== undefined) return route.refuse(message, code);
  const reason = code === 401 ? 'Unauthorized' : 'Forbidden';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, message, code };
  const challenge = `Bearer realm="tinkerbell"${isBadToken === true ? ', error="invalid_token"' : ''}`;
  return new WholeResponse(`${JSON.stringify(status)}\n`, {
    status: code,
    headers: {
      'content-type': 'application/json',
      ...(code === 401 ? { 'www-authenticate': challenge } : {}),
    },
  });
}

function text(body: string, status = 200): Response {
  return new WholeResponse(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

function isVerbose(url: string): boolean {
  return new URL(url).searchParams.has('verbose');
}

/** Prometheus' text format. */
function metrics(services: readonly Service[], own: readonly (readonly [string, number])[]): Response {
  const lines = [...own, ...services.flatMap((service) => Object.entries(service.health().counters ?? {}))];
  lines.push(['process_resident_memory_bytes', process.memoryUsage.rss()]);
  return text(lines.map(([name, value]) => `${name} ${value}\n`).join(''));
}
