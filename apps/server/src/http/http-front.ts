/** The HTTP port: health and metrics first, then the routes of the services in order. */
import {
  derivedContext,
  pathNameOf,
  queryOf,
  WebSocketResponse,
  WholeResponse,
  type ApiRoute,
  type Authenticator,
  type Authorizer,
  type Clock,
  type HttpContext,
  type HttpHandler,
  type HttpRequest,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import type { Sessions } from '@tinkerbell/service-console';
import { impersonated } from '../access/impersonation.ts';
import { LOGIN_PATH, loginPage } from '../access/login-page.ts';
import { admitted, type Admitted, type ApiAudience } from './api-access.ts';
import type { MetricHistory } from '../metrics/metric-history.ts';
import { metricsPage, type Measured } from '../metrics/metrics-pages.ts';
import type { Readiness } from './readiness.ts';
import { endRequestSpan, requestSpan, type RequestTracing } from './request-span.ts';

export interface FrontOptions {
  readonly services: readonly Service[];
  /** Default: all routes of the services. */
  readonly serves?: (route: HttpRoute) => boolean;
  readonly apiAnonymous: ApiAudience;
  readonly apiAnonymousHosts: readonly string[];
  readonly authenticator?: Authenticator;
  /** Sessions of the web console. If undefined, cookies do not count. */
  readonly sessions?: Pick<Sessions, 'credentialOf'> | undefined;
  /** Decides about impersonation. If undefined, impersonation is disabled. */
  readonly authorizer?: Authorizer;
  /** The page that names the identity provider. */
  readonly login?: Parameters<typeof loginPage>[0];
  readonly readiness: Readiness;
  readonly clock: Clock;
  readonly measured: Omit<Measured, 'services'>;
  readonly history: Pick<MetricHistory, 'answer'>;
  readonly tracing: RequestTracing;
  readonly uptimeSeconds: () => number;
}

/** Counts the responses of the port's own pages. */
const OWN_ROUTE = 'server';

export function createHttpFront(options: FrontOptions): HttpHandler {
  const { clock, measured, services, serves = () => true } = options;
  const { requests } = measured;
  const routes = services.flatMap((service) => service.routes).filter(serves);
  return async (request, context) => {
    const path = pathNameOf(request.url);
    const startedMs = clock.monotonicMs();
    const page = ownPage(options, path, request.url);
    if (page === undefined)
      for (const route of routes) {
        if (!path.startsWith(route.prefix)) continue;
        const response = await counted(route, request, { context, startedMs });
        if (response !== undefined) return response;
      }
    requests.began(OWN_ROUTE);
    const response = (await page) ?? text('page not found\n', 404);
    requests.answered(OWN_ROUTE, request, { status: response.status, seconds: secondsSince(startedMs) });
    return response;
  };

  function secondsSince(startedMs: number): number {
    return (clock.monotonicMs() - startedMs) / 1000;
  }

  async function counted(
    route: HttpRoute,
    request: HttpRequest,
    given: { readonly context: HttpContext; readonly startedMs: number },
  ): Promise<Response | undefined> {
    const { context, startedMs } = given;
    requests.began(route.name);
    const span = requestSpan(options.tracing, { route: route.name, request, context });
    // The listener answers 500 if a handler throws.
    let status: number | undefined = 500;
    try {
      const response = await (route.access === 'api'
        ? guarded(options, route, { request, context })
        : route.handle(request, context));
      status = response && statusOf(response, request);
      return response;
    } finally {
      if (status === undefined) requests.declined(route.name);
      else requests.answered(route.name, request, { status, seconds: secondsSince(startedMs) });
      // A request passed on to another route is not traced here.
      if (span !== undefined && status !== undefined) endRequestSpan(span, status);
    }
  }
}

/** Answers the port's own pages. */
function ownPage(options: FrontOptions, path: string, url: string): Response | Promise<Response> | undefined {
  switch (path) {
    case '/healthcheck':
      return healthPage(options);
    case LOGIN_PATH:
      return loginPage(options.login);
    case '/metrics/history':
      return options.history.answer();
    default:
      if (path.endsWith('/metrics'))
        return metricsPage(path, { ...options.measured, services: options.services });
      return options.readiness.probe(path, isVerbose(url));
  }
}

const READS = ['GET', 'HEAD'];

async function guarded(
  options: FrontOptions,
  route: ApiRoute,
  { request, context }: { readonly request: HttpRequest; readonly context: HttpContext },
): Promise<Response | undefined> {
  const { apiAnonymous: anonymous, apiAnonymousHosts: anonymousHosts } = options;
  const { authenticator, authorizer, sessions } = options;
  const { publicMethods = READS } = route;
  const isPublic =
    route.isPublic?.(pathNameOf(request.url)) === true && publicMethods.includes(request.method);
  const admittedAs = await admitted(request, context, {
    authenticator,
    sessions,
    anonymous,
    anonymousHosts,
    isPublic,
    ...(route.authorizationOf === undefined ? {} : { authorizationOf: route.authorizationOf }),
  });
  const found = 'user' in admittedAs ? impersonated(request, admittedAs.user, authorizer) : admittedAs;
  if (!('user' in found)) {
    route.onRejected?.(request, context, found.code);
    return rejection(route, found);
  }
  return route.handle(request, derivedContext(context, { user: found.user }));
}

const REASONS = { 400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden' } as const;

/** Answers with a Kubernetes Status, unless the route has its own format. */
function rejection(
  route: ApiRoute,
  { code, message, isBadToken }: Exclude<Admitted, { readonly user: unknown }>,
): Response {
  if (route.rejection !== undefined) return route.rejection(message, code);
  const reason = REASONS[code];
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

/** A WebSocket that the listener opens has succeeded. The response has the status for a client that did not ask for one. */
function statusOf(response: Response, { headers }: HttpRequest): number {
  const isOpened = response instanceof WebSocketResponse && headers.has('upgrade');
  return isOpened ? 101 : response.status;
}

function healthPage({ uptimeSeconds }: Pick<FrontOptions, 'uptimeSeconds'>): Response {
  const page = { git_rev: 'unknown', uptime_seconds: uptimeSeconds().toFixed(2), goroutines: 0 };
  return new WholeResponse(JSON.stringify(page), { headers: { 'content-type': 'application/json' } });
}

function text(body: string, status = 200): Response {
  return new WholeResponse(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

function isVerbose(url: string): boolean {
  return url.includes('?') && queryOf(url).has('verbose');
}
