/** How the API keeps what it derives from objects: object by object, in lists and changes alike. */
import type { Clock, Log } from '@tinkerbell/platform-contract';
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
  /** Asked for each list; a single one is also the only one that is watched. */
  readonly collections: () => readonly string[];
}

export interface Followers {
  /** Of each object that exists, then of each that is written; some may come twice. */
  onObject(stored: StoredObject): void;
  onDeleted(change: Change): void;
  /** Before each list: what is not told until `onListed` is there no more. */
  onListing?(): void;
  onListed?(): void;
}

/** Resolves when everything that exists was told; goes on until the signal. Rejects when the first list fails. */
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
    for await (const stored of eachStored(store, collection)) followers.onObject(stored);
  followers.onListed?.();
  const only = collections.length === 1 ? { collection: collections[0] ?? '' } : {};
  const onChange = (change: Change): void =>
    change.type === 'deleted' ? followers.onDeleted(change) : followers.onObject(change);
  return watchUntil(store, { ...only, fromRevision }, onChange, signal);
}

/** Every object of a collection; of one namespace when named. */
export async function* eachStored(
  store: Store,
  collection: string,
  namespace?: string,
): AsyncGenerator<StoredObject> {
  const query = { collection, ...(namespace === undefined ? {} : { namespace }) };
  for await (const page of eachPage(store, query)) yield* page;
}
