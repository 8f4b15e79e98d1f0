/** List and watch, as objects or as a Table. */
import { apiVersionOf, collectionOf, type Resource } from '@tinkerbell/resources';
import type { Store } from '@tinkerbell/store-contract';
import type { Clock, HttpRequest } from '@tinkerbell/platform-contract';
import { ApiError } from './api-error.ts';
import type { ResourceTarget } from './request-target.ts';
import { collectedPage } from './list-page.ts';
import { selectorOf } from './selectors.ts';
import { tableOf, wantsTable } from './table.ts';
import { watchStream } from './watch-stream.ts';

export interface ListDeps {
  readonly store: Store;
  readonly clock: Clock;
}

const WATCH_TIMEOUT_SECONDS = 1800;
const PAGE_LIMIT = 10_000;

export async function listObjects(
  deps: ListDeps,
  target: ResourceTarget,
  request: HttpRequest,
): Promise<object> {
  const query = new URL(request.url).searchParams;
  refuseOtherVersion(query, await deps.store.revision());
  const limit = Math.min(wholeNumber(query, 'limit') || PAGE_LIMIT, PAGE_LIMIT);
  const token = readToken(query.get('continue') ?? '', deps.clock.nowMs());
  const page = await collectedPage(deps.store, {
    target,
    query,
    limit,
    ...(token && { after: token }),
  });
  const { items } = page;
  // Every page tells the revision of the first, from which a watch misses nothing that happened between the pages.
  const revision = token?.revision ?? page.revision;
  const resourceVersion = String(revision);
  const timeMs = token?.timeMs ?? deps.clock.nowMs();
  const next = page.next && writeToken({ ...page.next, revision, timeMs });
  if (wantsTable(request.headers.get('accept'))) {
    const includeObject = query.get('includeObject') ?? 'Metadata';
    const options = { kind: target.kind, nowMs: deps.clock.nowMs(), resourceVersion, includeObject };
    return tableOf(items, { ...options, ...continued(next, 'continueToken') });
  }
  const metadata = { resourceVersion, ...continued(next, 'continue') };
  return {
    apiVersion: apiVersionOf(target.kind),
    kind: target.kind.listKind ?? `${target.kind.kind}List`,
    metadata,
    items,
  };
}

export async function watchObjects(
  deps: ListDeps,
  target: ResourceTarget,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const revision = wholeNumber(query, 'resourceVersion');
  const stream = await watchStream(deps.store, {
    collection: collectionOf(target.kind),
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(revision === 0 ? {} : { fromRevision: revision }),
    ...initialEvents(query, revision),
    selector: selectorOf(query, target.kind),
    bookmarks: query.get('allowWatchBookmarks') === 'true',
    bookmark: { apiVersion: apiVersionOf(target.kind), kind: target.kind.kind },
    timeoutMs: (wholeNumber(query, 'timeoutSeconds') || WATCH_TIMEOUT_SECONDS) * 1000,
    signal,
    show: showing(deps, target, request),
    schedule: (delayMs, task) => deps.clock.schedule(delayMs, task),
  });
  return new Response(stream, { headers: { 'content-type': 'application/json' } });
}

function showing(
  deps: ListDeps,
  target: ResourceTarget,
  request: HttpRequest,
): (resource: Resource) => object {
  if (!wantsTable(request.headers.get('accept'))) return (resource) => resource;
  const includeObject = new URL(request.url).searchParams.get('includeObject') ?? 'Metadata';
  return (resource) =>
    tableOf([resource], {
      kind: target.kind,
      nowMs: deps.clock.nowMs(),
      resourceVersion: resource.metadata.resourceVersion ?? '',
      includeObject,
    });
}

/** 0 when absent. */
function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (text === '') return 0;
  if (!/^\d{1,15}$/.test(text))
    throw new ApiError('BadRequest', `${name} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function continued<Name extends string>(next: string | undefined, name: Name): { [name in Name]?: string } {
  return next === undefined ? {} : ({ [name]: next } as { [name in Name]: string });
}

/** A watch that lists first says by a bookmark when it has (meta/v1 ListOptions sendInitialEvents). */
function initialEvents(query: URLSearchParams, revision: number) {
  const wanted = query.get('sendInitialEvents');
  if (wanted === null) return {};
  if (wanted === 'true' && query.get('resourceVersionMatch') !== 'NotOlderThan')
    throw new ApiError('Invalid', 'sendInitialEvents needs resourceVersionMatch=NotOlderThan');
  return wanted === 'true' ? { fromRevision: undefined, endsInitial: true, atLeast: revision } : {};
}

/** Lists are always of now: good for "0" and for "not older than", and wrong for an exact version of the past. */
function refuseOtherVersion(query: URLSearchParams, revision: number): void {
  const wanted = wholeNumber(query, 'resourceVersion');
  const match = query.get('resourceVersionMatch');
  if (wanted > revision)
    throw new ApiError(
      'ServiceUnavailable',
      `resource version ${wanted} is of the future; now is ${revision}`,
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

/** As long as Kubernetes' own API server keeps old revisions. */
const TOKEN_LIFETIME_MS = 5 * 60 * 1000;

function writeToken(token: PageToken): string {
  return btoa(JSON.stringify(token));
}

function readToken(text: string, nowMs: number): PageToken | undefined {
  if (text === '') return undefined;
  const token = parsedToken(text);
  if (token === undefined)
    throw new ApiError(
      'BadRequest',
      'continue is not a token that this server gave; list again from the beginning',
    );
  if (nowMs - token.timeMs > TOKEN_LIFETIME_MS)
    throw new ApiError('Expired', 'the continue token is too old; list again from the beginning');
  return token;
}

function parsedToken(text: string): PageToken | undefined {
  try {
    const token = JSON.parse(atob(text)) as PageToken;
    const { namespace, name, revision, timeMs } = token;
    const isToken = typeof namespace === 'string' && typeof name === 'string';
    return isToken && Number.isSafeInteger(revision) && Number.isSafeInteger(timeMs) ? token : undefined;
  } catch {
    return undefined;
  }
}
