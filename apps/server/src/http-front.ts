/** The one HTTP port: health and metrics, then the routes of the services in order. */
import {
  pathNameOf,
  WholeResponse,
  type HttpContext,
  type HttpHandler,
  type HttpRequest,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import { apiRefusal, type ApiAudience } from './api-access.ts';
import { createRequestCounts } from './request-counts.ts';

export interface FrontOptions {
  readonly services: readonly Service[];
  readonly apiAnonymous: ApiAudience;
  readonly uptimeSeconds: () => number;
}

export function createHttpFront(options: FrontOptions): HttpHandler {
  const counts = createRequestCounts();
  const routes = options.services.flatMap((service) => service.routes);
  return async (request, context) => {
    const path = pathNameOf(request.url);
    const response = own(path) ?? (await routed(path, request, context));
    counts.add(request.method, response.status);
    return response;
  };

  function own(path: string): Response | undefined {
    switch (path) {
      case '/healthz':
        return text('ok');
      case '/readyz':
        return ready(options.services);
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
      const refusal = refusalFor(route, request, context);
      const response = refusal ?? (await route.handle(request, context));
      if (response !== undefined) return response;
    }
    return text('no such page\n', 404);
  }

  function refusalFor(route: HttpRoute, request: HttpRequest, context: HttpContext): Response | undefined {
    const message = route.name === 'api' ? apiRefusal(request, context, options.apiAnonymous) : undefined;
    if (message === undefined) return undefined;
    if (route.refuse !== undefined) return route.refuse(message);
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Forbidden',
      message,
      code: 403,
    };
    return Response.json(status, { status: 403 });
  }
}

function text(body: string, status = 200): Response {
  return new WholeResponse(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

function ready(services: readonly Service[]): Response {
  const waiting = services
    .map((service) => ({ name: service.name, ...service.health() }))
    .filter((one) => !one.ready);
  if (waiting.length === 0) return text('ok');
  return text(waiting.map((one) => `${one.name}: ${one.reason ?? 'not ready'}\n`).join(''), 503);
}

/** Prometheus' text format. */
function metrics(services: readonly Service[], own: readonly (readonly [string, number])[]): Response {
  const lines = [...own, ...services.flatMap((service) => Object.entries(service.health().counters ?? {}))];
  lines.push(['process_resident_memory_bytes', process.memoryUsage.rss()]);
  return text(lines.map(([name, value]) => `${name} ${value}\n`).join(''));
}
