/** One page of a list: read in pieces until enough objects are selected, so that a selector does not read all at once. */
import { collectionOf, type Resource } from '@tinkerbell/resources';
import type { ObjectKey, ObjectList, Store } from '@tinkerbell/store-contract';
import type { ResourceTarget } from './request-target.ts';
import { selectedName, selectorOf, type Selector } from './selectors.ts';
import { keyOf } from './stored-object.ts';

export interface PageQuery {
  readonly target: ResourceTarget;
  readonly query: URLSearchParams;
  readonly limit: number;
  readonly after?: { readonly namespace: string; readonly name: string };
}

export interface Page {
  readonly items: readonly Resource[];
  /** Of the store when the page was begun. */
  readonly revision: number;
  readonly next?: { readonly namespace: string; readonly name: string };
}

/** Throws an ApiError for a selector that cannot be read. */
export async function collectedPage(store: Store, wanted: PageQuery): Promise<Page> {
  const { target, query, limit } = wanted;
  const selector = selectorOf(query, target.kind);
  const collection = collectionOf(target.kind);
  const name = selectedName(query);
  const isOne = target.namespace !== undefined || target.kind.scope === 'Cluster';
  if (name !== undefined && isOne) return pageOfOne(store, keyOf(target, name), selector);
  const items: Resource[] = [];
  let revision: number | undefined;
  let { after } = wanted;
  for (;;) {
    const page: ObjectList = await store.list({
      collection,
      limit: limit - items.length,
      ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
      ...(after === undefined ? {} : { after }),
    });
    revision ??= page.revision;
    for (const { object } of page.items) if (selector(object)) items.push(object);
    if (page.next === undefined) return { items, revision };
    after = page.next;
    if (items.length >= limit) return { items, revision, next: after };
  }
}

async function pageOfOne(store: Store, key: ObjectKey, selector: Selector): Promise<Page> {
  const revision = await store.revision();
  const stored = await store.get(key);
  return { items: stored === undefined ? [] : [stored.object].filter(selector), revision };
}
