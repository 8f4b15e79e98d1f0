/** The REST API in the shape of Kubernetes' own: paths, verbs, media types, status codes. */
import { ANONYMOUS } from '@tinkerbell/access';
import type { UnknownMachines } from '@tinkerbell/enrollment';
import {
  WholeResponse,
  type Authenticator,
  type Authorizer,
  type Clock,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
  type Log,
  type Random,
  type Service,
  type TemplateRenderer,
  type TextReader,
} from '@tinkerbell/platform-contract';
import { serviceAccountKind, type Resource } from '@tinkerbell/resources';
import type { Journal, ObjectKey, Store, View } from '@tinkerbell/store-contract';
import type { ReferenceRules } from '@tinkerbell/template';
import { ISSUER_PATHS, issuerDocument, tokenFor, type AccountTokens } from './access/account-token.ts';
import { guarded } from './access/guarded.ts';
import { OWN_TOKEN, ownToken } from './access/own-token.ts';
import { permit, userOf } from './access/question.ts';
import { everybody, permitReview, reviewAt, reviewed } from './access/reviews.ts';
import { createServedStore } from './access/served-store.ts';
import { createAdmission } from './admission.ts';
import { ApiError } from './api-error.ts';
import { failed, json, methodNotAllowed, result } from './api-response.ts';
import { APPLY_PATCH, applyObject } from './apply-object.ts';
import { AuditTrail, isWrite, type AuditNote } from './audit/audit-trail.ts';
import { followDefinitions } from './custom/custom-kinds.ts';
import { deleteObject } from './delete-object.ts';
import { deleteOptions } from './delete-options.ts';
import { describesTheApi, discoveryDocument } from './discovery.ts';
import { createFirstNamespaces } from './first-namespaces.ts';
import { Collector } from './garbage/collector.ts';
import { KindCatalog } from './kind-catalog.ts';
import { listItems, listResponse, watchObjects } from './list-handler.ts';
import { OpenStreams } from './open-streams.ts';
import { described } from './openapi/described.ts';
import { operate, operationVerb } from './operation-handler.ts';
import { mediaTypeOf, readBody, readQuestion, readReview } from './request-body.ts';
import { resourceTarget, type ResourceTarget } from './request-target.ts';
import {
  createObject,
  getObject,
  patchObject,
  replaceObject,
  type Outcome,
  type VerbDeps,
} from './resource-handlers.ts';
import { serverValues } from './server-values.ts';
import { tableOf, wantsTable } from './table.ts';
import { actionLog, auditRecords, timeline } from './timeline-handler.ts';
import { failureOf } from './unexpected-failure.ts';
import { UNKNOWN_MACHINES, unknownMachinesAnswer } from './unknown-machines.ts';
import { warningHeaders } from './warnings.ts';
import { isDryRun, writeOptions } from './write-options.ts';

export interface ApiDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly renderer: TemplateRenderer;
  /** Reads YAML and long templates elsewhere; they are read at once when absent. */
  readonly texts?: TextReader;
  /** Which objects that a Hardware names its templates may see. */
  readonly referenceRules: ReferenceRules;
  /** Everybody may do everything when absent. */
  readonly authorizer?: Authorizer;
  /** Who looks at tokens that others ask about. */
  readonly authenticator?: Authenticator;
  /** Of ServiceAccounts; there are none when absent. */
  readonly tokens?: AccountTokens;
  /** Who asks to boot and is not registered; absent: the API knows of none. */
  readonly unknownMachines?: Pick<UnknownMachines, 'list'>;
  /** Objects that the API does not show to anybody. */
  readonly hidden?: readonly ObjectKey[];
}

type Deps = ApiDeps &
  VerbDeps & {
    readonly streams: OpenStreams;
    readonly authorizer: Authorizer;
    readonly audit: AuditTrail;
    /** Of the request that is answered, when it is a write. */
    readonly note?: AuditNote;
  };

/** The path of the audit, which roles name. */
const AUDIT = '/audit';
const PREFIXES = ['/api', '/openapi/', '/version', ...ISSUER_PATHS, AUDIT, UNKNOWN_MACHINES, OWN_TOKEN];

export function createApiService(deps: ApiDeps): Service {
  const verbDeps: Deps = {
    authorizer: everybody,
    ...deps,
    store: createServedStore(deps.store, deps.hidden ?? []),
    catalog: new KindCatalog(),
    admission: createAdmission(deps),
    values: () => serverValues(deps),
    streams: new OpenStreams(),
    audit: new AuditTrail(deps),
  };
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const route = (prefix: string): HttpRoute => ({
    name: 'api',
    prefix,
    handle: (request, context) =>
      answer(verbDeps, request, {
        ...context,
        // Watches alone have a use for it, and it is not cheap.
        get signal() {
          return AbortSignal.any([context.signal, stopping.signal]);
        },
      }),
    isPublic: (path) => describesTheApi(path) || ISSUER_PATHS.some((one) => path.startsWith(one)),
    turnedAway: (request, context, status) => auditTurnedAway(verbDeps, request, context, status),
  });
  return {
    name: 'api',
    routes: PREFIXES.map(route),
    stopped: () => stopped,
    health: () => ({
      ready: true,
      counters: {
        api_open_streams: verbDeps.streams.count(),
        api_watch_waiting_bytes: verbDeps.streams.held.bytes(),
        api_watches_too_slow_total: verbDeps.streams.slow(),
        api_audit_refusals_unrecorded: verbDeps.audit.unrecorded(),
      },
    }),
    async start(signal) {
      signal.addEventListener('abort', () => {
        stopping.abort();
        verbDeps.audit.flush();
        markStopped();
      });
      await followDefinitions(verbDeps, signal);
      await createFirstNamespaces(verbDeps);
      await new Collector(verbDeps).start(signal);
    },
  };
}

async function answer(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  if (!isWrite(request)) return answered(deps, request, context);
  const note: AuditNote = {};
  // Before it is done: a write may take the kind away that it is about.
  const target = resourceTarget(pathOf(request), deps.catalog);
  const response = await answered({ ...deps, note }, request, context);
  if (target !== undefined) deps.audit.record({ request, context, target, note, code: response.status });
  return response;
}

/** A write that got no further than the front: the record says nobody, as whoever it was could not say. */
function auditTurnedAway(deps: Deps, request: HttpRequest, context: HttpContext, code: number): void {
  const target = isWrite(request) ? resourceTarget(pathOf(request), deps.catalog) : undefined;
  if (target === undefined) return;
  const { peer, localAddress, signal } = context;
  const nobody = { peer, localAddress, signal, user: ANONYMOUS };
  deps.audit.record({ request, context: nobody, target, note: {}, code });
}

function pathOf({ url }: HttpRequest): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}

/** Never rejects. */
async function answered(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  try {
    return await dispatch(deps, request, context);
  } catch (thrown) {
    return failed(thrown instanceof ApiError ? thrown : failureOf(deps.log, request, thrown));
  }
}

async function dispatch(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  const path = pathOf(request);
  if (path === AUDIT) return onAudit(deps, request, context);
  if (path === UNKNOWN_MACHINES) return unknownMachinesAnswer(deps, request, context);
  if (path === OWN_TOKEN)
    return request.method === 'GET' ? ownToken(deps, userOf(context), request) : methodNotAllowed(request);
  const document = documentAt(deps, path, request);
  if (document !== undefined) return document;
  const review = reviewAt(path);
  if (review !== undefined) {
    if (request.method !== 'POST') return methodNotAllowed(request);
    const own = { ...deps, user: userOf(context) };
    permitReview(review, own);
    return json(await reviewed(review, await readReview(request), own), 201);
  }
  const target = resourceTarget(path, deps.catalog);
  if (target === undefined)
    throw new ApiError('NotFound', `the server could not find the requested resource: ${path}`);
  const own = await guarded(deps, { request, target, user: userOf(context) });
  return target.name === undefined
    ? onCollection(own, target, request, context)
    : onObject(own, target, request, context);
}

function onAudit(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  permit(deps.authorizer, userOf(context), { verb: 'get', path: AUDIT });
  if (request.method !== 'GET') return methodNotAllowed(request);
  return deps.streams.open(context, () => auditRecords(deps, request, context.signal));
}

/** What describes the API itself, or undefined. */
function documentAt({ catalog, tokens }: Deps, path: string, request: HttpRequest): Response | undefined {
  const ofIssuer = tokens === undefined ? undefined : issuerDocument(path, tokens);
  if (ofIssuer !== undefined) return json(ofIssuer);
  const kinds = catalog.all();
  const accept = request.headers.get('accept');
  const openApi = described(path, kinds, accept ?? '');
  if (openApi !== undefined && request.method !== 'GET') return methodNotAllowed(request);
  if (openApi !== undefined)
    return new WholeResponse(openApi.content, { headers: { 'content-type': openApi.contentType } });
  const discovered = discoveryDocument(path, kinds, accept);
  const document = discovered?.document;
  if (document === undefined) return undefined;
  if (request.method !== 'GET') return methodNotAllowed(request);
  const { contentType } = discovered ?? {};
  return json(document, 200, contentType === undefined ? {} : { 'content-type': contentType });
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
      return listResponse(deps, target, request);
    case 'POST':
      if (target.namespace === undefined && target.kind.scope !== 'Cluster') return methodNotAllowed(request);
      return created(
        deps,
        await createObject(deps, target, await readBody(request, deps), optionsOf(request, query)),
      );
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
      return result(
        await replaceObject(deps, target, await readBody(request, deps), optionsOf(request, query)),
      );
    case 'PATCH':
      return onPatch(deps, target, request);
    case 'DELETE':
      if (target.subresource !== undefined) return methodNotAllowed(request);
      return json(await deleteObject(deps, target, await deletionOf(deps, request, query)));
    default:
      return methodNotAllowed(request);
  }
}

async function onPatch(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const options = optionsOf(request, query);
  const [body, contentType] = [await readBody(request, deps), mediaTypeOf(request)];
  if (contentType !== APPLY_PATCH)
    return result(await patchObject(deps, target, { body, contentType }, options));
  const hasManager = Boolean(query.get('fieldManager'));
  return result(await applyObject(deps, target, body, { options, hasManager }));
}

/** Undefined for the object itself and its status. */
async function onSubresource(
  deps: Deps,
  target: ResourceTarget,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response | undefined> {
  const { subresource, kind } = target;
  if (subresource === undefined) return undefined;
  if (subresource === 'status' && kind.status !== undefined) return undefined;
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
  if (subresource === 'token' && kind === serviceAccountKind) return onToken(deps, target, request);
  return onOperation(deps, target, request, context);
}

async function onToken(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<Response> {
  if (request.method !== 'POST') return methodNotAllowed(request);
  const account = await getObject(deps, target);
  return json(await tokenFor(deps, account, await readQuestion(request, deps)), 201);
}

async function onOperation(
  deps: Deps,
  target: ResourceTarget,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response> {
  const verb = operationVerb(target);
  if (verb === undefined)
    throw new ApiError('NotFound', `${target.kind.plural} have no subresource ${target.subresource}`);
  if (request.method !== 'POST') return methodNotAllowed(request);
  const dryRun = isDryRun(new URL(request.url).searchParams);
  const { peer } = context;
  const operation = { verb, body: await readQuestion(request, deps), dryRun, peer, user: userOf(context) };
  const { workflow, unchanged } = await operate(deps, target, operation);
  return json(workflow, 200, warningHeaders(unchanged === undefined ? [] : [unchanged]));
}

/** One after the other; what somebody else deletes meanwhile is gone as wanted. */
async function deleteCollection(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<object> {
  const query = new URL(request.url).searchParams;
  const options = await deletionOf(deps, request, query);
  const { head, metadata, items } = await listItems(deps, target, query);
  for (const { metadata: one } of items) {
    await deleteObject(deps, { ...target, ...one }, options).catch((thrown: unknown) => {
      if (!(thrown instanceof ApiError) || thrown.reason !== 'NotFound') throw thrown;
    });
  }
  return { ...head, metadata, items };
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
    tableOf([object], {
      kind: target.kind,
      nowMs: deps.clock.nowMs(),
      resourceVersion,
      includeObject,
      view: deps.view,
    }),
  );
}

function optionsOf(request: HttpRequest, query: URLSearchParams) {
  return writeOptions(query, request.headers.get('user-agent'));
}

function created({ note }: Deps, outcome: Outcome): Response {
  if (note !== undefined) note.name = (outcome.object as Resource).metadata.name;
  return result(outcome);
}

/** That nothing is deleted may stand in the body alone. */
async function deletionOf(deps: Deps, request: HttpRequest, query: URLSearchParams) {
  const { note } = deps;
  const options = deleteOptions(await readQuestion(request, deps), query);
  if (note !== undefined) note.dryRun = options.dryRun;
  return options;
}
