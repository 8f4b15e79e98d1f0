/** The REST API in the shape of Kubernetes' own: paths, verbs, media types, status codes. */
import type {
  Clock,
  HttpContext,
  HttpRequest,
  HttpRoute,
  Log,
  Random,
  Service,
  TemplateRenderer,
} from '@tinkerbell/platform-contract';
import { formatProblem, uidOf } from '@tinkerbell/resources';
import type { Journal, Store, View } from '@tinkerbell/store-contract';
import type { ReferenceRules } from '@tinkerbell/template';
import { createAdmission } from './admission.ts';
import { ApiError } from './api-error.ts';
import { discoveryDocument } from './discovery.ts';
import { listObjects, watchObjects } from './list-handler.ts';
import { OpenStreams } from './open-streams.ts';
import { openApiDocument } from './openapi.ts';
import { operate, operationVerb } from './operation-handler.ts';
import type { ServerValues } from './prepare-object.ts';
import { mediaTypeOf, readBody } from './request-body.ts';
import { resourceTarget, type ResourceTarget } from './request-target.ts';
import {
  createObject,
  deleteObject,
  getObject,
  patchObject,
  replaceObject,
  type Outcome,
  type VerbDeps,
} from './resource-handlers.ts';
import { tableOf, wantsTable } from './table.ts';
import { actionLog, timeline } from './timeline-handler.ts';
import { withWarnings } from './warnings.ts';

export interface ApiDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly renderer: TemplateRenderer;
  /** Which objects that a Hardware names its templates may see. */
  readonly referenceRules: ReferenceRules;
}

type Deps = ApiDeps & VerbDeps & { readonly streams: OpenStreams };

export function createApiService(deps: ApiDeps): Service {
  const verbDeps: Deps = {
    ...deps,
    admission: createAdmission(deps),
    values: () => serverValues(deps),
    streams: new OpenStreams(),
  };
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const route = (prefix: string): HttpRoute => ({
    name: 'api',
    prefix,
    handle: (request, context) =>
      answer(verbDeps, request, { ...context, signal: AbortSignal.any([context.signal, stopping.signal]) }),
  });
  return {
    name: 'api',
    routes: [route('/api'), route('/openapi/'), route('/version')],
    stopped: () => stopped,
    health: () => ({ ready: true, counters: { api_open_streams: verbDeps.streams.count() } }),
    start(signal) {
      signal.addEventListener('abort', () => {
        stopping.abort();
        markStopped();
      });
      return Promise.resolve();
    },
  };
}

function serverValues({ clock, random }: ApiDeps): ServerValues {
  const suffix = Array.from(random.bytes(5), (byte) => 'bcdfghjklmnpqrstvwxz2456789'[byte % 27]).join('');
  return {
    now: new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z'),
    uid: uidOf(random.bytes(16)),
    suffix,
  };
}

async function answer(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  try {
    return await dispatch(deps, request, context);
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : internal(deps, request, thrown);
    return json(error.toStatus(), error.code, retryAfter(error));
  }
}

function retryAfter({ details: { retryAfterSeconds } }: ApiError): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}

function internal(deps: Deps, request: HttpRequest, thrown: unknown): ApiError {
  deps.log.error('api request failed', {
    method: request.method,
    url: request.url,
    error: String(thrown),
    stack: (thrown as Error).stack,
  });
  return new ApiError('InternalError', 'an error on the server; its log says more');
}

async function dispatch(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  const path = new URL(request.url).pathname.replace(/\/+$/, '');
  if (path === '/openapi/v2') return openApiV2(request);
  const document = discoveryDocument(path) ?? openApiDocument(path);
  if (document !== undefined) return request.method === 'GET' ? json(document) : methodNotAllowed(request);
  const target = resourceTarget(path);
  if (target === undefined)
    throw new ApiError('NotFound', `the server could not find the requested resource: ${path}`);
  const response =
    target.name === undefined
      ? await onCollection(deps, target, request, context)
      : await onObject(deps, target, request, context);
  return response;
}

/** `kubectl` before 1.27 insists on this document, in protobuf; an empty one switches its own checks off, and the server's remain. */
function openApiV2(request: HttpRequest): Response {
  if (/protobuf/.test(request.headers.get('accept') ?? '')) {
    const contentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
    return new Response(new Uint8Array(), { headers: { 'content-type': contentType } });
  }
  return json({ swagger: '2.0', info: { title: 'Tinkerbell', version: 'v1alpha1' }, paths: {} });
}

async function onCollection(
  deps: Deps,
  target: ResourceTarget,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  switch (request.method) {
    case 'GET':
      if (['true', '1'].includes(query.get('watch') ?? ''))
        return deps.streams.open(context, () => watchObjects(deps, target, request, context.signal));
      return json(await listObjects(deps, target, request));
    case 'POST':
      if (target.namespace === undefined) return methodNotAllowed(request);
      return result(await createObject(deps, target, await readBody(request), verbOptions(query)));
    case 'DELETE':
      return json(await deleteCollection(deps, target, request));
    default:
      return methodNotAllowed(request);
  }
}

async function onObject(
  deps: Deps,
  target: ResourceTarget,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response> {
  const answered = await onSubresource(deps, target, request, context);
  if (answered !== undefined) return answered;
  const query = new URL(request.url).searchParams;
  switch (request.method) {
    case 'GET':
      return shown(deps, target, request, await getObject(deps, target));
    case 'PUT':
      return result(await replaceObject(deps, target, await readBody(request), verbOptions(query)));
    case 'PATCH':
      return result(
        await patchObject(
          deps,
          target,
          { body: await readBody(request), contentType: mediaTypeOf(request) },
          verbOptions(query),
        ),
      );
    case 'DELETE':
      if (target.subresource !== undefined) return methodNotAllowed(request);
      return json(
        await deleteObject(deps, target, { body: await readBody(request), dryRun: query.has('dryRun') }),
      );
    default:
      return methodNotAllowed(request);
  }
}

/** Undefined for the object itself and its status. */
async function onSubresource(
  deps: Deps,
  target: ResourceTarget,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response | undefined> {
  const { subresource, kind } = target;
  if (subresource === undefined || subresource === 'status') return undefined;
  if (subresource === 'timeline' && ['Hardware', 'Workflow'].includes(kind.kind)) {
    if (request.method !== 'GET') return methodNotAllowed(request);
    const object = await getObject(deps, target);
    return deps.streams.open(context, () => timeline(deps, object, request, context.signal));
  }
  if (subresource === 'log' && kind.kind === 'Workflow') {
    if (request.method !== 'GET') return methodNotAllowed(request);
    const object = await getObject(deps, target);
    return deps.streams.open(context, () => actionLog(deps, object, request, context.signal));
  }
  const verb = operationVerb(target);
  if (verb === undefined) throw new ApiError('NotFound', `${kind.plural} have no subresource ${subresource}`);
  if (request.method !== 'POST') return methodNotAllowed(request);
  const { dryRun } = verbOptions(new URL(request.url).searchParams);
  const operation = { verb, body: await readBody(request), dryRun, peer: context.peer };
  const { workflow, unchanged } = await operate(deps, target, operation);
  return withWarnings(json(workflow), unchanged === undefined ? [] : [unchanged]);
}

async function deleteCollection(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<object> {
  const list = (await listObjects(deps, target, new Request(request.url))) as {
    items: { metadata: { name: string; namespace: string } }[];
  };
  for (const { metadata } of list.items) {
    const one = { ...target, name: metadata.name, namespace: metadata.namespace };
    await deleteObject(deps, one, {
      body: undefined,
      dryRun: new URL(request.url).searchParams.has('dryRun'),
    });
  }
  return list;
}

function shown(
  deps: Deps,
  target: ResourceTarget,
  request: HttpRequest,
  object: Awaited<ReturnType<typeof getObject>>,
): Response {
  if (!wantsTable(request.headers.get('accept'))) return json(object);
  const includeObject = new URL(request.url).searchParams.get('includeObject') ?? 'Metadata';
  const resourceVersion = object.metadata.resourceVersion ?? '';
  return json(
    tableOf([object], { kind: target.kind, nowMs: deps.clock.nowMs(), resourceVersion, includeObject }),
  );
}

function verbOptions(query: URLSearchParams): { strict: boolean; dryRun: boolean } {
  return { strict: query.get('fieldValidation') === 'Strict', dryRun: query.has('dryRun') };
}

function result({ code, object, warnings }: Outcome): Response {
  return withWarnings(json(object, code), warnings.map(formatProblem));
}

function json(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${JSON.stringify(value)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

function methodNotAllowed(request: HttpRequest): never {
  throw new ApiError('MethodNotAllowed', `${request.method} is not allowed here`);
}
