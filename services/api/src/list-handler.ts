/** List and watch, as objects or as a Table. */
import { apiVersionOf, collectionOf, isRecord, type Resource } from '@tinkerbell/resources';
import type { Store, View } from '@tinkerbell/store-contract';
import { queryOf, StreamResponse, type Clock, type HttpRequest } from '@tinkerbell/platform-contract';
import { ApiError } from './api-error.ts';
import type { ResourceTarget } from './request-target.ts';
import { listAnswer, type ListShape } from './list-answer.ts';
import { listPieces, type PageQuery, type Piece, type Position } from './list-page.ts';
import type { OpenStreams } from './open-streams.ts';
import { selectorOf } from './selectors.ts';
import { tableHead, tableOf, tableRow } from './table.ts';
import type { AcceptedForm } from './accepted-form.ts';
import { protobufList } from './protobuf-list.ts';
import { jsonEvents, protobufEvents } from './watch-line.ts';
import { watchStream } from './watch-stream.ts';

export interface ListDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly view: View;
}

/** Options of an answer. */
export interface ShownDeps extends ListDeps {
  readonly accepted: AcceptedForm;
}

export interface WatchDeps extends ShownDeps {
  readonly streams: Pick<OpenStreams, 'held' | 'tooSlow'>;
}

const WATCH_TIMEOUT_SECONDS = 1800;
/** Options of the deletion of a collection. */
const ITEMS_KEPT_MAX = 500;

/** As objects or as a Table. */
export async function listResponse(
  deps: ShownDeps,
  target: ResourceTarget,
  request: HttpRequest,
): Promise<Response> {
  const query = queryOf(request.url);
  const begun = await beginList(deps, target, query);
  const shape = shapeOf(begun, query, deps);
  const source = () => {
    let pieceBytes = 0;
    const pieces = listPieces(deps.store, begun.wanted, () => pieceBytes);
    return { pieces, sized: (bytes: number): void => void (pieceBytes = bytes) };
  };
  const asProtobuf =
    deps.accepted.form === 'protobuf' ? await protobufList(source(), shape, deps.accepted) : undefined;
  return asProtobuf ?? listAnswer(source(), shape);
}

/**
 * Passes on every item of a list, one by one. The returned list contains only the first of them, because all together may be too
 * large for memory.
 */
export async function eachListed(
  deps: ListDeps,
  { target, query }: { readonly target: ResourceTarget; readonly query: URLSearchParams },
  take: (item: Resource) => Promise<void>,
): Promise<object> {
  const begun = await beginList(deps, target, query);
  const items: Resource[] = [];
  let last: Piece | undefined;
  for await (const piece of listPieces(deps.store, begun.wanted)) {
    items.push(...piece.items.slice(0, Math.max(0, ITEMS_KEPT_MAX - items.length)));
    for (const item of piece.items) await take(item);
    last = piece;
  }
  return { ...listHead(target), metadata: metadataOf(begun, last?.revision ?? 0, last?.next), items };
}

interface BegunList {
  readonly wanted: PageQuery;
  readonly token: PageToken | undefined;
  readonly nowMs: number;
}

/** Throws an ApiError for an invalid query. */
async function beginList(
  { store, clock }: ListDeps,
  target: ResourceTarget,
  query: URLSearchParams,
): Promise<BegunList> {
  refuseOtherVersion(query, await store.revision());
  const limit = wholeNumber(query, 'limit') || Number.MAX_SAFE_INTEGER;
  const nowMs = clock.nowMs();
  const token = readToken(query.get('continue') ?? '', nowMs);
  const wanted = { target, query, limit, ...(token && { after: token }) };
  return { wanted, token, nowMs };
}

/** Every page names the revision of the first one. A watch from there includes all changes between the pages. */
function metadataOf({ token, nowMs }: BegunList, ofStore: number, next: Position | undefined): object {
  const revision = token?.revision ?? ofStore;
  const timeMs = token?.timeMs ?? nowMs;
  const more = next === undefined ? {} : { continue: writeToken({ ...next, revision, timeMs }) };
  return { resourceVersion: String(revision), ...more };
}

function shapeOf(begun: BegunList, query: URLSearchParams, { view, accepted }: ShownDeps): ListShape {
  const { target } = begun.wanted;
  const metadata: ListShape['metadata'] = (revision, next) => metadataOf(begun, revision, next);
  if (!accepted.isTable)
    return { head: listHead(target), items: 'items', show: (resource) => resource, metadata };
  const { kind } = target;
  const includeObject = query.get('includeObject') ?? 'Metadata';
  const show = (resource: Resource): object =>
    tableRow(resource, { kind, nowMs: begun.nowMs, includeObject, view });
  return { head: tableHead(kind), items: 'rows', show, metadata };
}

function listHead({ kind }: ResourceTarget): ListShape['head'] {
  return { apiVersion: apiVersionOf(kind), kind: kind.listKind ?? `${kind.kind}List` };
}

export async function watchObjects(
  deps: WatchDeps,
  target: ResourceTarget,
  { request, signal }: { readonly request: HttpRequest; readonly signal: AbortSignal },
): Promise<Response> {
  const query = queryOf(request.url);
  const events = deps.accepted.form === 'protobuf' ? protobufEvents : jsonEvents;
  const revision = wholeNumber(query, 'resourceVersion');
  const stream = await watchStream(deps.store, {
    collection: collectionOf(target.kind),
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(revision === 0 ? {} : { fromRevision: revision }),
    ...initialEvents(query, revision),
    ...(selectsAll(query) ? {} : { selector: selectorOf(query, target.kind) }),
    bookmarks: query.get('allowWatchBookmarks') === 'true',
    bookmark: { apiVersion: apiVersionOf(target.kind), kind: target.kind.kind },
    timeoutMs: (wholeNumber(query, 'timeoutSeconds') || WATCH_TIMEOUT_SECONDS) * 1000,
    signal,
    events,
    ...showing(deps, target, request),
    schedule: (delayMs, task) => deps.clock.schedule(delayMs, task),
    held: deps.streams.held,
    onTooSlow: () => deps.streams.tooSlow(),
  });
  return new StreamResponse(stream, { headers: { 'content-type': events.contentType } });
}

function showing(
  deps: ShownDeps,
  target: ResourceTarget,
  request: HttpRequest,
): { readonly show?: (resource: Resource) => object } {
  if (!deps.accepted.isTable) return {};
  const includeObject = queryOf(request.url).get('includeObject') ?? 'Metadata';
  const show = (resource: Resource): object =>
    tableOf([resource], {
      kind: target.kind,
      nowMs: deps.clock.nowMs(),
      resourceVersion: resource.metadata.resourceVersion ?? '',
      includeObject,
      view: deps.view,
    });
  return { show };
}

function selectsAll(query: URLSearchParams): boolean {
  return !query.get('labelSelector') && !query.get('fieldSelector');
}

/** Default: 0. */
function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (text === '') return 0;
  if (!/^\d{1,15}$/.test(text))
    throw new ApiError('BadRequest', `${name} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** A watch that lists first marks the end of the list with a bookmark (meta/v1 ListOptions sendInitialEvents). */
function initialEvents(query: URLSearchParams, revision: number) {
  const wanted = query.get('sendInitialEvents');
  if (wanted === null) return {};
  if (wanted === 'true' && query.get('resourceVersionMatch') !== 'NotOlderThan')
    throw new ApiError('Invalid', 'sendInitialEvents requires resourceVersionMatch=NotOlderThan');
  return wanted === 'true' ? { fromRevision: undefined, endsInitial: true, atLeast: revision } : {};
}

/** Lists always show the current state: valid for "0" and for "not older than", and invalid for an exact old version. */
function refuseOtherVersion(query: URLSearchParams, revision: number): void {
  const wanted = wholeNumber(query, 'resourceVersion');
  const match = query.get('resourceVersionMatch');
  if (wanted > revision)
    throw new ApiError(
      'ServiceUnavailable',
      `resource version ${wanted} is larger than the current version ${revision}`,
    );
  if (match === 'Exact' && wanted !== revision)
    throw new ApiError('Expired', `too old resource version: ${wanted} (${revision})`);
}

interface PageToken {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly timeMs: number;
}

/** Kubernetes' own API server keeps old revisions for the same time. */
const TOKEN_LIFETIME_MS = 5 * 60 * 1000;

function writeToken(token: PageToken): string {
  return btoa(JSON.stringify(token));
}

function readToken(text: string, nowMs: number): PageToken | undefined {
  if (text === '') return undefined;
  const token = parsedToken(text);
  if (token === undefined)
    throw new ApiError('BadRequest', 'the continue token is invalid; list again without it');
  if (nowMs - token.timeMs > TOKEN_LIFETIME_MS)
    throw new ApiError('Expired', 'the continue token is too old; list again without it');
  return token;
}

function parsedToken(text: string): PageToken | undefined {
  try {
    const token: unknown = JSON.parse(atob(text));
    return isToken(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

function isToken(value: unknown): value is PageToken & Record<string, unknown> {
  if (!isRecord(value)) return false;
  const { namespace, name, revision, timeMs } = value;
  const isPlace = typeof namespace === 'string' && typeof name === 'string';
  return isPlace && Number.isSafeInteger(revision) && Number.isSafeInteger(timeMs);
}
