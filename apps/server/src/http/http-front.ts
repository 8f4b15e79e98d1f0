/** The HTTP port: health and metrics first, then the routes of the services in order. */
import {
  derivedContext,
  pathNameOf,
  queryOf,
  WholeResponse,
  type ApiRoute,
  type Authenticator,
  type Authorizer,
  type Awaitable,
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
import { countedCalls, type Call } from './counted-calls.ts';
import type { MetricHistory } from '../metrics/metric-history.ts';
import { metricsPage, type Measured } from '../metrics/metrics-pages.ts';
import type { Readiness } from './readiness.ts';
import type { RequestTracing } from './request-span.ts';

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

interface Asked extends Call {
  readonly path: string;
}

export function createHttpFront(options: FrontOptions): HttpHandler {
  const { clock, measured, services, serves = () => true } = options;
  const { requests } = measured;
  const routes = services.flatMap((service) => service.routes).filter(serves);
  const call = countedCalls(options, (route, { request, context }) =>
    route.access === 'api' ? guarded(options, route, { request, context }) : route.handle(request, context),
  );
  return (request, context) => {
    const path = pathNameOf(request.url);
    const asked = { request, context, path, startedMs: clock.monotonicMs() };
    const page = ownPage(options, path, request.url);
    return page === undefined ? byRoute(asked, 0) : own(page, asked);
  };

  /** Asks the routes of the path, beginning with the one of this number, until one answers. Waits for a route only if it must. */
  function byRoute(asked: Asked, first: number): Awaitable<Response> {
    for (let number = first; number < routes.length; number += 1) {
      const route = routes[number];
      if (route === undefined || !asked.path.startsWith(route.prefix)) continue;
      const response = call(route, asked);
      if (response instanceof Promise) return response.then((found) => found ?? byRoute(asked, number + 1));
      if (response !== undefined) return response;
    }
    return own(text('page not found\n', 404), asked);
  }

  async function own(page: Awaitable<Response>, { request, startedMs }: Asked): Promise<Response> {
    requests.began(OWN_ROUTE);
    const response = await page;
    const seconds = (clock.monotonicMs() - startedMs) / 1000;
    requests.answered(OWN_ROUTE, request, { status: response.status, seconds });
    return response;
  }
}

/** Answers the port's own pages. */
function ownPage(options: FrontOptions, path: string, url: string): Awaitable<Response> | undefined {
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
  return await route.handle(request, derivedContext(context, { user: found.user }));
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
