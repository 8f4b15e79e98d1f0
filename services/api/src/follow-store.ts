/** Follows a collection of the store, object by object, through lists and changes. */
import { inTurns, type Clock, type Log } from '@tinkerbell/platform-contract';
import {
  eachPage,
  keepListing,
  watchUntil,
  type Change,
  type Listed,
  type Store,
  type StoredObject,
} from '@tinkerbell/store-contract';

export interface FollowDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each list. A single collection is also the only one watched. */
  readonly collections: () => readonly string[];
}

export interface Followers {
  /** Called for each existing object, then for each written one. Some may repeat. */
  onObject(stored: StoredObject): void;
  onDeleted(change: Change): void;
  /** Called before each list. Objects that are not reported before `onListed` no longer exist. */
  onListing?(): void;
  onListed?(): void;
}

/** Resolves when all existing objects have been reported, and continues until the signal. Rejects if the first list fails. */
export function followStore(deps: FollowDeps, followers: Followers, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps;
  return keepListing({ clock, log, who: 'api' }, () => listAndWatch(deps, followers, signal), signal);
}

async function listAndWatch(
  { store, collections: asked }: FollowDeps,
  followers: Followers,
  signal: AbortSignal,
): Promise<Listed> {
  const collections = asked();
  const fromRevision = await store.revision();
  followers.onListing?.();
  for (const collection of collections)
    for await (const page of eachPage(store, { collection })) await inTurns(reports(page, followers));
  followers.onListed?.();
  const only = collections.length === 1 ? { collection: collections[0] ?? '' } : {};
  const onChange = (change: Change): void =>
    change.type === 'deleted' ? followers.onDeleted(change) : followers.onObject(change);
  return watchUntil(store, { ...only, fromRevision }, { onChange, signal });
}

function* reports(page: readonly StoredObject[], followers: Followers): Generator<void, void> {
  for (const stored of page) yield followers.onObject(stored);
}

/** Yields all objects of a collection, or of one namespace. */
export async function* eachStored(
  store: Store,
  collection: string,
  namespace?: string,
): AsyncGenerator<StoredObject> {
  const query = { collection, ...(namespace === undefined ? {} : { namespace }) };
  for await (const page of eachPage(store, query)) yield* page;
}
