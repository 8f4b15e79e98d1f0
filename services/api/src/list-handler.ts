/** List and watch, as objects or as a Table. */
import { apiVersionOf, collectionOf, type Resource } from '@tinkerbell/resources';
import type { ListQuery, Store } from '@tinkerbell/store-contract';
import type { Clock, HttpRequest } from '@tinkerbell/platform-contract';
import { ApiError } from './api-error.ts';
import type { ResourceTarget } from './request-target.ts';
import { hasSelector, selectorOf } from './selectors.ts';
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
  const limit = Math.min(wholeNumber(query, 'limit') || PAGE_LIMIT, PAGE_LIMIT);
  const token = query.get('continue') ?? '';
  const listQuery: ListQuery = {
    collection: collectionOf(target.kind),
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    // A selector may drop items of a page, so that pages are only cut without one.
    ...(hasSelector(query) ? {} : { limit }),
    ...(token === '' ? {} : { after: readToken(token) }),
  };
  const list = await deps.store.list(listQuery);
  const items = list.items.map((item) => item.object).filter(selectorOf(query));
  const resourceVersion = String(list.revision);
  const next = list.next === undefined ? undefined : writeToken(list.next);
  if (wantsTable(request.headers.get('accept'))) {
    return tableOf(items, {
      kind: target.kind,
      nowMs: deps.clock.nowMs(),
      resourceVersion,
      includeObject: query.get('includeObject') ?? 'Metadata',
      ...(next === undefined ? {} : { continueToken: next }),
    });
  }
  const metadata = { resourceVersion, ...(next === undefined ? {} : { continue: next }) };
  return { apiVersion: apiVersionOf(target.kind), kind: `${target.kind.kind}List`, metadata, items };
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
    selector: selectorOf(query),
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

function writeToken(key: { namespace: string; name: string }): string {
  return btoa(JSON.stringify(key));
}

function readToken(token: string): { namespace: string; name: string } {
  try {
    const { namespace, name } = JSON.parse(atob(token)) as Record<string, unknown>;
    if (typeof namespace === 'string' && typeof name === 'string') return { namespace, name };
  } catch {
    // Told below.
  }
  throw new ApiError(
    'BadRequest',
    'continue is not a token that this server gave; list again from the beginning',
  );
}
