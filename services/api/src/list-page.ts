/** Lists page by page. Reads pieces of bounded size until enough objects are selected. */
import { nextTurn } from '@tinkerbell/platform-contract';
import { collectionOf, type Resource } from '@tinkerbell/resources';
import type { ListQuery, ObjectKey, Store } from '@tinkerbell/store-contract';
import type { ResourceTarget } from './request-target.ts';
import { selectedName, selectorOf, type Selector } from './selectors.ts';
import { keyOf } from './stored-object.ts';

export interface PageQuery {
  readonly target: ResourceTarget;
  readonly query: URLSearchParams;
  readonly limit: number;
  readonly after?: Position;
}

export interface Position {
  readonly namespace: string;
  readonly name: string;
}

export interface Piece {
  readonly items: readonly Resource[];
  /** Revision of the store before the first piece was read. */
  readonly revision: number;
  /** Start of the next list; only in the last piece, if there are more objects than requested. */
  readonly next?: Position;
}

/** Objects per read; few, because objects may be large. */
const PIECE_FIRST = 32;
const PIECE_MAX = 500;
const PIECE_BYTES = 512 * 1024;

/**
 * Yields at least one piece. The next piece is read after the previous one was taken. `sizeOf` returns the size of the last piece in
 * bytes. Throws an ApiError for an invalid selector.
 */
export async function* listPieces(
  store: Store,
  wanted: PageQuery,
  sizeOf: () => number = () => 0,
): AsyncGenerator<Piece, void, undefined> {
  const { target, query, limit } = wanted;
  const selector = selectorOf(query, target.kind);
  const name = selectedName(query);
  const isOne = target.namespace !== undefined || target.kind.scope === 'Cluster';
  if (name !== undefined && isOne) return yield await pieceOfOne(store, keyOf(target, name), selector);
  let revision: number | undefined;
  let place = placeOf(target, wanted.after);
  for (let left = limit, count = PIECE_FIRST; ;) {
    const page = await store.list({ ...place, limit: Math.min(left, count) });
    revision ??= page.revision;
    const items = page.items.map(({ object }) => object).filter(selector);
    left -= items.length;
    if (page.next === undefined) return yield { items, revision };
    if (left <= 0) return yield { items, revision, next: page.next };
    yield { items, revision };
    // A memory store answers at once, so give other requests a turn between pieces.
    await nextTurn();
    place = { ...place, after: page.next };
    // The size of objects that the selector excludes is unknown.
    if (items.length > 0) count = nextCount(items.length, sizeOf());
  }
}

function placeOf({ kind, namespace }: ResourceTarget, after: Position | undefined): ListQuery {
  return {
    collection: collectionOf(kind),
    ...(namespace === undefined ? {} : { namespace }),
    ...(after === undefined ? {} : { after }),
  };
}

/** Number of objects per piece, so that it has the target size if they are like the previous ones. */
function nextCount(items: number, bytes: number): number {
  const average = Math.max(1, bytes / Math.max(1, items));
  return Math.min(PIECE_MAX, Math.max(1, Math.floor(PIECE_BYTES / average)));
}

async function pieceOfOne(store: Store, key: ObjectKey, selector: Selector): Promise<Piece> {
  const revision = await store.revision();
  const stored = await store.get(key);
  return { items: stored === undefined ? [] : [stored.object].filter(selector), revision };
}
