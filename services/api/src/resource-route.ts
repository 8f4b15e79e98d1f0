/** Maps methods and subresources of requests to verbs. */
import {
  nextTurn,
  OWN_TURN_BYTES,
  queryOf,
  type HttpContext,
  type HttpRequest,
} from '@tinkerbell/platform-contract';
import { apiVersionOf, serviceAccountKind } from '@tinkerbell/resources';
import { acceptedForm, formOfErrors, JSON_FORM, type AcceptedForm } from './accepted-form.ts';
import { tokenFor, type AccountTokens } from './access/account-token.ts';
import { userOf } from './access/question.ts';
import { ApiError } from './api-error.ts';
import { json, methodNotAllowed, result, shown } from './api-response.ts';
import { APPLY_PATCH, applyObject } from './apply-object.ts';
import type { AuditNote } from './audit/audit-trail.ts';
import { convertingStore } from './custom/converting-store.ts';
import { deleteWithWarnings } from './delete-with-warnings.ts';
import { deleteOptions } from './delete-options.ts';
import { checksAnswer, diagnosisAnswer, placeIn, type DiagnosisDeps } from './diagnosis.ts';
import { eachListed, listResponse, watchObjects } from './list-handler.ts';
import type { OpenStreams } from './open-streams.ts';
import { operate, operationVerb, type OperationDeps } from './operation-handler.ts';
import { mediaTypeOf, readBody, readQuestion, type BodyType } from './request-body.ts';
import { isInProtobuf } from './protobuf-kinds.ts';
import { isRendering, type ResourceTarget } from './request-target.ts';
import {
  createObject,
  getObject,
  patchObject,
  replaceObject,
  type Outcome,
  type VerbDeps,
} from './resource-handlers.ts';
import { tableOf } from './table.ts';
import { renderingAnswer, type RenderDeps } from './template-rendering.ts';
import { actionLog, consoleLog, timeline } from './timeline-handler.ts';
import { warningHeaders } from './warnings.ts';
import { isDryRun, writeOptions } from './write-options.ts';

export interface ResourceDeps extends VerbDeps, OperationDeps, DiagnosisDeps, RenderDeps {
  readonly streams: OpenStreams;
  /** Issues tokens of ServiceAccounts; undefined if disabled. */
  readonly tokens?: AccountTokens;
}

/** A request with what the server knows about its sender. */
export interface ApiCall {
  readonly request: HttpRequest;
  readonly context: HttpContext;
  /** The audit entry of the request, if it is a write. */
  readonly note?: AuditNote;
}

/** Limit of names in the audit record of a collection's deletion. The rest is dropped. */
const WARNINGS_KEPT_MAX = 50;

type Deps = ResourceDeps & { readonly accepted: AcceptedForm };

export function onResource(deps: ResourceDeps, target: ResourceTarget, call: ApiCall): Promise<Response> {
  const store = convertingStore(deps.store, target.kind);
  const own = { ...deps, store, accepted: acceptedAt(target, call.request) };
  return target.name === undefined ? onCollection(own, target, call) : onObject(own, target, call);
}

/** Returns the form of an error about a path. */
export function errorForm(target: ResourceTarget | undefined, request: HttpRequest): AcceptedForm {
  return formOfErrors(request.headers.get('accept'), {
    hasProtobuf: target === undefined || isInProtobuf(target.kind),
  });
}

/** Journals and operator requests have one form, whatever the client accepts. Throws an ApiError. */
function acceptedAt(target: ResourceTarget, request: HttpRequest): AcceptedForm {
  const { subresource = 'status' } = target;
  if (!['status', 'token'].includes(subresource)) return JSON_FORM;
  return acceptedForm(request.headers.get('accept'), { hasProtobuf: isInProtobuf(target.kind) });
}

async function onCollection(deps: Deps, target: ResourceTarget, call: ApiCall): Promise<Response> {
  const { request, context } = call;
  const query = queryOf(request.url);
  switch (request.method) {
    case 'GET':
      if (['true', '1'].includes(query.get('watch') ?? ''))
        return deps.streams.open(context, () =>
          watchObjects(deps, target, { request, signal: context.signal }),
        );
      return listResponse(deps, target, request);
    case 'POST':
      if (target.namespace === undefined && target.kind.scope !== 'Cluster') return methodNotAllowed(request);
      return created(
        deps,
        call,
        await createObject(deps, target, {
          submitted: await readBody(request, deps, bodyType(target)),
          options: optionsOf(request, query),
        }),
      );
    case 'DELETE':
      return deleteCollection(deps, target, call);
    default:
      return methodNotAllowed(request);
  }
}

function onObject(deps: Deps, target: ResourceTarget, call: ApiCall): Promise<Response> {
  const { request } = call;
  if (!isObjectOrStatus(target)) return onSubresource(deps, target, call);
  switch (request.method) {
    case 'GET':
      return got(deps, target, request);
    case 'PUT':
      return onPut(deps, target, request);
    case 'PATCH':
      return onPatch(deps, target, request);
    case 'DELETE':
      if (target.subresource !== undefined) return methodNotAllowed(request);
      return onDelete(deps, target, call);
    default:
      return methodNotAllowed(request);
  }
}

async function onPut(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<Response> {
  const submitted = await readBody(request, deps, bodyType(target));
  const options = optionsOf(request, queryOf(request.url));
  return written(deps, request, await replaceObject(deps, target, { submitted, options }));
}

async function onPatch(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<Response> {
  const query = queryOf(request.url);
  const options = optionsOf(request, query);
  const [body, contentType] = [await readBody(request, deps), mediaTypeOf(request)];
  if (contentType !== APPLY_PATCH)
    return written(deps, request, await patchObject(deps, target, { body, contentType, options }));
  const hasManager = Boolean(query.get('fieldManager'));
  return written(deps, request, await applyObject(deps, target, { body, options, hasManager }));
}

/** Subresources that are streams of the journal. A map, because clients choose the name. */
const recordStreams: ReadonlyMap<string, typeof timeline> = new Map([
  ['Hardware/timeline', timeline],
  ['Hardware/log', consoleLog],
  ['Workflow/timeline', timeline],
  ['Workflow/log', actionLog],
]);

function isObjectOrStatus({ subresource, kind }: ResourceTarget): boolean {
  return subresource === undefined || (subresource === 'status' && kind.status !== undefined);
}

async function onSubresource(deps: Deps, target: ResourceTarget, call: ApiCall): Promise<Response> {
  const { subresource, kind } = target;
  const { request, context } = call;
  const records = recordStreams.get(`${kind.kind}/${subresource}`);
  if (records !== undefined) {
    if (request.method !== 'GET') return methodNotAllowed(request);
    const object = await getObject(deps, target);
    return deps.streams.open(context, () => records(deps, object, { request, signal: context.signal }));
  }
  if (`${kind.kind}/${subresource}` === 'Hardware/diagnosis') return onDiagnosis(deps, target, request);
  if (isRendering(target)) {
    if (request.method !== 'POST') return methodNotAllowed(request);
    return renderingAnswer(deps, target, { body: await readBody(request, deps), user: userOf(context) });
  }
  if (subresource === 'token' && kind === serviceAccountKind) return onToken(deps, target, request);
  return onOperation(deps, target, call);
}

async function onDiagnosis(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<Response> {
  const query = queryOf(request.url);
  if (request.method === 'POST') {
    const place = placeIn(query.get('from') ?? 'server');
    const object = await getObject(deps, target);
    if (place.kind === 'server') return checksAnswer(deps, object);
    const { kind, name } = place;
    if (kind === 'relay') return checksAnswer(deps, object, { relay: name });
    return checksAnswer(deps, object, { neighbour: await getObject(deps, { ...target, name }) });
  }
  if (request.method !== 'GET') return methodNotAllowed(request);
  const hasNeighbours = query.get('neighbours') === 'true';
  return diagnosisAnswer(deps, await getObject(deps, target), { hasNeighbours });
}

async function onToken(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<Response> {
  if (request.method !== 'POST') return methodNotAllowed(request);
  const account = await getObject(deps, target);
  const type = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  const made = await tokenFor(deps, account, await readQuestion(request, deps, type));
  return shown(made, deps.accepted, { status: 201 });
}

async function onOperation(
  deps: Deps,
  target: ResourceTarget,
  { request, context }: ApiCall,
): Promise<Response> {
  const verb = operationVerb(target);
  if (verb === undefined)
    throw new ApiError('NotFound', `${target.kind.plural} have no subresource ${target.subresource}`);
  if (request.method !== 'POST') return methodNotAllowed(request);
  const dryRun = isDryRun(queryOf(request.url));
  const { peer } = context;
  const operation = { verb, body: await readQuestion(request, deps), dryRun, peer, user: userOf(context) };
  const { workflow, unchanged } = await operate(deps, target, operation);
  return json(workflow, 200, warningHeaders(unchanged === undefined ? [] : [unchanged]));
}

async function onDelete(deps: Deps, target: ResourceTarget, call: ApiCall): Promise<Response> {
  const options = await deletionOf(deps, call, queryOf(call.request.url));
  const { answer, warnings } = await deleteWithWarnings(deps, target, options);
  return shown(answer, deps.accepted, { headers: warningHeaders(warnings) });
}

/** Deletes one by one. An object that another client deletes meanwhile counts as deleted. */
async function deleteCollection(deps: Deps, target: ResourceTarget, call: ApiCall): Promise<Response> {
  const query = queryOf(call.request.url);
  const options = await deletionOf(deps, call, query);
  const warnings: string[] = [];
  const list = await eachListed(deps, { target, query }, async ({ metadata: { name, namespace } }) => {
    const place = target.kind.scope === 'Cluster' ? {} : { namespace };
    try {
      const deleted = await deleteWithWarnings(deps, { ...target, name, ...place }, options);
      if (warnings.length < WARNINGS_KEPT_MAX) warnings.push(...deleted.warnings);
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.reason !== 'NotFound') throw thrown;
    }
  });
  return shown(list, deps.accepted, { headers: warningHeaders(warnings) });
}

async function got(deps: Deps, target: ResourceTarget, request: HttpRequest): Promise<Response> {
  const object = await getObject(deps, target);
  if (!deps.accepted.isTable) return shown(object, deps.accepted);
  const includeObject = queryOf(request.url).get('includeObject') ?? 'Metadata';
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

function created(deps: Deps, { request, note }: ApiCall, outcome: Outcome): Response | Promise<Response> {
  if (note !== undefined) note.name = outcome.object.metadata.name;
  return written(deps, request, outcome);
}

/** A large object is encoded for the client in another turn than for the store. */
function written({ accepted }: Deps, request: HttpRequest, outcome: Outcome): Response | Promise<Response> {
  const isLarge = Number(request.headers.get('content-length') ?? 0) > OWN_TURN_BYTES;
  return isLarge ? nextTurn().then(() => result(outcome, accepted)) : result(outcome, accepted);
}

/** Accepts protobuf for every kind. */
const deletion = { apiVersion: 'v1', kind: 'DeleteOptions' };

/** The dry run may be set only in the body. */
async function deletionOf(deps: Deps, { request, note }: ApiCall, query: URLSearchParams) {
  const options = deleteOptions(await readQuestion(request, deps, deletion), query);
  if (note !== undefined) note.dryRun = options.dryRun;
  return options;
}

function bodyType({ kind }: ResourceTarget): BodyType {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
