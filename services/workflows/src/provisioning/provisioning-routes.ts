/** The Provisioning API as REST. Paths and names are those of `operations`, which the OpenAPI document describes. */
import { openApiDocument, operations, type Operation } from '@tinkerbell/provisioning';
import {
  derivedContext,
  pathElementsOf,
  stackOf,
  WholeResponse,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
} from '@tinkerbell/platform-contract';
import type { ProvisioningCaller } from './access.ts';
import type { ProvisioningDeps } from './job-store.ts';
import { HttpProblem, problem, problemOf, problemResponse } from './problem-response.ts';
import { requestOf } from './rest-request.ts';
import { unaryCalls } from './unary-calls.ts';
import { watchResponse } from './watch-response.ts';

export function provisioningRoutes(deps: ProvisioningDeps, stopping: AbortSignal): readonly HttpRoute[] {
  return [
    {
      name: 'api',
      prefix: '/v1/',
      access: 'api',
      handle: (request, context) => answer(deps, request, derivedContext(context, { until: stopping })),
      rejection: (message, code = 403) =>
        problemResponse(
          problem(code, message),
          code === 401 ? { 'www-authenticate': 'Bearer realm="tinkerbell"' } : {},
        ),
    },
  ];
}

async function answer(deps: ProvisioningDeps, request: HttpRequest, context: HttpContext): Promise<Response> {
  try {
    return await dispatch(deps, request, context);
  } catch (thrown) {
    const known = problemOf(thrown);
    if (known === undefined)
      deps.log.error('provisioning request failed', {
        url: request.url,
        error: String(thrown),
        stack: stackOf(thrown),
      });
    return problemResponse(
      known ?? problem(500, 'internal server error; see the log of the server'),
      thrown instanceof HttpProblem ? thrown.headers : {},
    );
  }
}

async function dispatch(
  deps: ProvisioningDeps,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response> {
  const elements = pathElementsOf(request.url);
  if (elements === undefined) throw new HttpProblem(400, 'the path has an invalid percent escape');
  const { operation, inPath } = operationFor(elements, request.method.toLowerCase());
  if (operation === undefined) return json(openApiDocument());
  const caller: ProvisioningCaller = {
    header: (name) => request.headers.get(name) ?? undefined,
    ...(context.user === undefined ? {} : { user: context.user }),
  };
  // Checked before the body is read, so that an unauthorized caller costs nothing more.
  await deps.access.identityOf(caller, operation.method);
  const value = await requestOf(operation, inPath, request);
  if (operation.method === 'WatchJob') return watchResponse(deps, value, { request, caller, context });
  const result = await unaryCalls[operation.method](deps, value, caller);
  const { code } = operation.success;
  const jobId = code !== 200 && 'job_id' in result ? result.job_id : undefined;
  return json(result, code, typeof jobId === 'string' ? { location: `/v1/jobs/${jobId}` } : {});
}

interface Target {
  /** Undefined: the OpenAPI document. */
  readonly operation?: Operation;
  readonly inPath: Readonly<Record<string, string>>;
}

/** Throws an HttpProblem. */
function operationFor(elements: readonly string[], verb: string): Target {
  const path = elements.join('/');
  const isDocument = path === 'v1/openapi.json';
  const found = isDocument ? [] : operations.flatMap((one) => matched(one, elements) ?? []);
  if (!isDocument && found.length === 0) throw new HttpProblem(404, `there is no /${path}`);
  const verbs = isDocument ? ['get'] : found.map(({ operation }) => operation.verb);
  if (!verbs.includes(verb)) {
    const allow = verbs.map((one) => one.toUpperCase()).join(', ');
    throw new HttpProblem(405, `/${path} takes ${allow}, not ${verb.toUpperCase()}`, { allow });
  }
  return found.find(({ operation }) => operation.verb === verb) ?? { inPath: {} };
}

function matched(operation: Operation, elements: readonly string[]): Required<Target> | undefined {
  const pattern = operation.path.slice(1).split('/');
  if (pattern.length !== elements.length) return undefined;
  const inPath: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const element = elements[index] ?? '';
    if (part === '{device}') inPath['device_id'] = element;
    else if (part === '{id}') inPath['job_id'] = element;
    else if (part !== element) return undefined;
  }
  return { operation, inPath };
}

function json(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new WholeResponse(`${JSON.stringify(value)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
