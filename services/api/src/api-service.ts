/** The Kubernetes-compatible REST API: paths, verbs, media types, status codes. */
import { ANONYMOUS } from '@tinkerbell/access';
import type { UnknownMachines } from '@tinkerbell/enrollment';
import {
  delay,
  derivedContext,
  inTurns,
  messageOf,
  pathNameOf,
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
  type TextReader,
} from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { compileBuiltIns } from '@tinkerbell/resources';
import type { TemplateRenderer } from '@tinkerbell/engine-rendering';
import type { Journal, ObjectKey, Store, View } from '@tinkerbell/store-contract';
import type { ReferenceRules } from '@tinkerbell/template';
import { ISSUER_PATHS, issuerDocument, type AccountTokens } from './access/account-token.ts';
import { guarded } from './access/guarded.ts';
import { OWN_TOKEN, ownToken } from './access/own-token.ts';
import { permit, userOf } from './access/question.ts';
import { acceptedForm } from './accepted-form.ts';
import { everybody, permitReview, reviewAt, reviewed, typeOf } from './access/reviews.ts';
import { createServedStore } from './access/served-store.ts';
import { createAdmission } from './admission.ts';
import { ApiError } from './api-error.ts';
import { failed, json, methodNotAllowed, shown } from './api-response.ts';
import { AuditTrail, isWrite, type AuditNote } from './audit/audit-trail.ts';
import { followDefinitions } from './custom/custom-kinds.ts';
import type { DiagnosisDeps } from './diagnosis.ts';
import { DHCP_LEASES, dhcpLeasesAnswer, type DhcpLeasesDeps } from './dhcp-leases.ts';
import { describesTheApi, discoveryDocument } from './discovery.ts';
import { createFirstNamespaces } from './first-namespaces.ts';
import { Collector } from './garbage/collector.ts';
import { KindCatalog } from './kind-catalog.ts';
import { createApiMetrics } from './metrics.ts';
import { OpenStreams } from './open-streams.ts';
import { described } from './openapi/described.ts';
import { RELAY_TRIALS, relayTrialsAnswer } from './relay-trials.ts';
import { readReview } from './request-body.ts';
import { isRendering, resourceTarget, type ResourceTarget } from './request-target.ts';
import type { VerbDeps } from './resource-handlers.ts';
import { errorForm, onResource, type ApiCall } from './resource-route.ts';
import { serverValues } from './server-values.ts';
import { SHORT_PREFIXES, withLongPath } from './short-paths.ts';
import { auditRecords } from './timeline-handler.ts';
import { failureOf } from './unexpected-failure.ts';
import { UNKNOWN_MACHINES, unknownMachinesAnswer } from './unknown-machines.ts';

export interface ApiDeps extends Pick<DhcpLeasesDeps, 'leases' | 'pools'>, DiagnosisDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly renderer: TemplateRenderer;
  /** Parses YAML and long templates in other threads. If undefined, in this thread. */
  readonly texts?: TextReader;
  /** Rules for the objects that Hardware may reference in templates. */
  readonly referenceRules: ReferenceRules;
  /** If undefined, everyone may do everything. */
  readonly authorizer?: Authorizer;
  /** Verifies tokens in reviews. */
  readonly authenticator?: Authenticator;
  /** Issues tokens of ServiceAccounts; undefined if disabled. */
  readonly tokens?: AccountTokens;
  /** Lists unregistered machines that ask to boot; undefined if unavailable. */
  readonly unknownMachines?: Pick<UnknownMachines, 'list'>;
  /** Namespaces that the server writes to. They exist from the start. */
  readonly namespaces?: readonly string[];
  /** Objects that the API hides from everyone. */
  readonly hidden?: readonly ObjectKey[];
}

type Deps = ApiDeps &
  VerbDeps & {
    readonly streams: OpenStreams;
    readonly authorizer: Authorizer;
    readonly audit: AuditTrail;
  };

/** The path of the audit in roles. */
const AUDIT = '/audit';
const PREFIXES = [
  '/api',
  '/openapi/',
  '/version',
  ...ISSUER_PATHS,
  AUDIT,
  UNKNOWN_MACHINES,
  DHCP_LEASES,
  RELAY_TRIALS,
  OWN_TOKEN,
  ...SHORT_PREFIXES,
];

export function createApiService(deps: ApiDeps): Service {
  const set = new MetricSet();
  const metrics = createApiMetrics(set);
  const verbDeps: Deps = {
    authorizer: everybody,
    ...deps,
    store: createServedStore(deps.store, deps.hidden ?? []),
    catalog: new KindCatalog(),
    admission: createAdmission(deps),
    values: () => serverValues(deps),
    streams: new OpenStreams(metrics),
    audit: new AuditTrail(deps, metrics),
  };
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const [namespace = 'default'] = deps.namespaces ?? [];
  const compile = onFirstCall(() => void inTurns(compileBuiltIns()));
  const route = (prefix: string): HttpRoute => ({
    name: 'api',
    prefix,
    access: 'api',
    async handle(request, context) {
      const long = withLongPath(request, namespace);
      if (long === undefined) return undefined;
      const response = await answer(verbDeps, long, derivedContext(context, { until: stopping.signal }));
      if (isWrite(long)) compile();
      return response;
    },
    isPublic: (path) => describesTheApi(path) || ISSUER_PATHS.some((one) => path.startsWith(one)),
    onRejected: (request, context, status) =>
      auditRejected(verbDeps, { request: withLongPath(request, namespace) ?? request, context }, status),
  });
  return {
    name: 'api',
    routes: PREFIXES.map(route),
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    async start(signal) {
      signal.addEventListener('abort', () => {
        stopping.abort();
        verbDeps.audit.flush();
        markStopped();
      });
      await followDefinitions(verbDeps, signal);
      await createFirstNamespaces(verbDeps);
      void collectGarbage(verbDeps, signal);
    },
  };
}

const COLLECT_AGAIN_MS = 1000;

/** Reads every object, which a start with many of them does not wait for. Never rejects. */
async function collectGarbage(deps: Deps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await new Collector(deps).start(signal);
    } catch (thrown) {
      deps.log.warn('cannot list the objects to find what was left undeleted, and tries again', {
        error: messageOf(thrown),
      });
      await delay(deps.clock, COLLECT_AGAIN_MS, signal);
    }
  }
}

/** The patterns of all kinds take 2 MB of memory, which a server that nobody writes to does not need. */
function onFirstCall(task: () => void): () => void {
  let isCalled = false;
  return () => {
    if (isCalled) return;
    isCalled = true;
    task();
  };
}

/** Never rejects. */
function answer(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  // Resolve the kind before the write, which may delete it.
  const target = resourceTarget(pathOf(request), deps.catalog);
  const isRead = !isWrite(request) || (target !== undefined && isRendering(target));
  return (isRead ? answered : recorded)(deps, target, { request, context });
}

async function recorded(
  deps: Deps,
  target: ResourceTarget | undefined,
  { request, context }: ApiCall,
): Promise<Response> {
  const note: AuditNote = {};
  const response = await answered(deps, target, { request, context, note });
  if (target !== undefined) deps.audit.record({ request, context, target, note, code: response.status });
  return response;
}

/** Records a write that the front rejected. The user is unknown, because authentication failed. */
function auditRejected(deps: Deps, { request, context }: ApiCall, code: number): void {
  const target = isWrite(request) ? resourceTarget(pathOf(request), deps.catalog) : undefined;
  if (target === undefined) return;
  deps.audit.record({
    request,
    context: derivedContext(context, { user: ANONYMOUS }),
    target,
    note: {},
    code,
  });
}

function pathOf({ url }: HttpRequest): string {
  return pathNameOf(url).replace(/\/+$/, '');
}

/** Never rejects. */
async function answered(deps: Deps, target: ResourceTarget | undefined, call: ApiCall): Promise<Response> {
  try {
    // Only paths of objects have a name.
    return await (target?.name === undefined ? dispatch(deps, target, call) : onTarget(deps, target, call));
  } catch (thrown) {
    const { request } = call;
    const error = thrown instanceof ApiError ? thrown : failureOf(deps.log, request, thrown);
    return failed(error, errorForm(target, request));
  }
}

async function dispatch(deps: Deps, target: ResourceTarget | undefined, call: ApiCall): Promise<Response> {
  const { request, context } = call;
  const path = pathOf(request);
  if (path === AUDIT) return onAudit(deps, request, context);
  if (path === UNKNOWN_MACHINES) return unknownMachinesAnswer(deps, request, context);
  if (path === DHCP_LEASES) return dhcpLeasesAnswer(deps, request, context);
  if (path === RELAY_TRIALS) return relayTrialsAnswer(deps, request, context);
  if (path === OWN_TOKEN)
    return request.method === 'GET' ? ownToken(deps, userOf(context), request) : methodNotAllowed(request);
  const document = documentAt(deps, path, request);
  if (document !== undefined) return document;
  const review = reviewAt(path);
  if (review !== undefined) {
    if (request.method !== 'POST') return methodNotAllowed(request);
    const own = { ...deps, user: userOf(context) };
    permitReview(review, own);
    const accepted = acceptedForm(request.headers.get('accept'), { hasProtobuf: true });
    const answer = await reviewed(review, await readReview(request, typeOf(review)), own);
    return shown(answer, accepted, { status: 201 });
  }
  if (target === undefined)
    throw new ApiError('NotFound', `the server could not find the requested resource: ${path}`);
  return onTarget(deps, target, call);
}

/** Throws an ApiError, or rejects with one. */
function onTarget(deps: Deps, target: ResourceTarget, call: ApiCall): Promise<Response> {
  const { request, context } = call;
  const own = guarded(deps, { request, target, user: userOf(context) });
  return own instanceof Promise
    ? own.then((permitted) => onResource(permitted, target, call))
    : onResource(own, target, call);
}

function onAudit(deps: Deps, request: HttpRequest, context: HttpContext): Promise<Response> {
  permit(deps.authorizer, userOf(context), { asked: { verb: 'get', path: AUDIT } });
  if (request.method !== 'GET') return methodNotAllowed(request);
  return deps.streams.open(context, () => auditRecords(deps, request, context.signal));
}

/** Returns a document that describes the API, or undefined. */
function documentAt(
  { catalog, tokens }: Deps,
  path: string,
  request: HttpRequest,
): Response | Promise<Response> | undefined {
  const ofIssuer = tokens === undefined ? undefined : issuerDocument(path, tokens);
  if (ofIssuer !== undefined) return json(ofIssuer);
  const kinds = catalog.all();
  const accept = request.headers.get('accept');
  const openApi = described(path, kinds, accept ?? '');
  if (openApi !== undefined && request.method !== 'GET') return methodNotAllowed(request);
  if (openApi !== undefined)
    return openApi.then(
      ({ content, contentType }) => new WholeResponse(content, { headers: { 'content-type': contentType } }),
    );
  const discovered = discoveryDocument(path, kinds, accept);
  const document = discovered?.document;
  if (document === undefined) return undefined;
  if (request.method !== 'GET') return methodNotAllowed(request);
  const { contentType } = discovered ?? {};
  return json(document, 200, contentType === undefined ? {} : { 'content-type': contentType });
}
