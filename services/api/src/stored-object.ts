/** Reads and writes the object of a request. Store errors become errors in Kubernetes' words. */
import { collectionOf, type Resource } from '@tinkerbell/resources';
import {
  formatKey,
  type ObjectKey,
  type Store,
  type StoredObject,
  type Write,
} from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';
import { alreadyExists, conflict, notFound } from './object-errors.ts';
import type { ResourceTarget } from './request-target.ts';

/** Limit of consecutive conflicts for a patch or deletion without resourceVersion. */
const TRIES = 5;

/** Throws an ApiError if the object does not exist. */
export async function existing(store: Store, target: ResourceTarget): Promise<StoredObject> {
  const stored = await store.get(keyOf(target));
  if (stored === undefined) throw notFound(target, target.name ?? '');
  return stored;
}

export function keyOf(target: ResourceTarget, name: string = target.name ?? ''): ObjectKey {
  return { collection: collectionOf(target.kind), namespace: target.namespace ?? '', name };
}

export interface Written {
  readonly object: Resource;
  /** The object as JSON, if the store has encoded it. */
  readonly text: string | undefined;
}

/** Returns the written object; for a deletion, the last version. Throws an ApiError. */
export async function write(store: Store, target: ResourceTarget, write: Write): Promise<Written> {
  const result = await store.commit([write]);
  if (result.ok) {
    const [written] = result.objects;
    if (written === undefined) throw new Error(`the store did not return ${formatKey(write.key)}`);
    const { object } = written;
    return { object, text: result.texts?.get(object) };
  }
  const { name } = write.key;
  switch (result.reason) {
    case 'already-exists':
      throw alreadyExists(target, name);
    case 'conflict':
      throw conflict(target, name);
    case 'not-found':
      throw notFound(target, name);
    case 'unavailable':
      throw new ApiError('ServiceUnavailable', result.message);
  }
}

/** A request without a resourceVersion applies to the current version of the object. */
export async function outlivingConflicts<Result>(
  isRelative: boolean,
  body: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await body();
    } catch (thrown) {
      const isRace = isRelative && thrown instanceof ApiError && thrown.reason === 'Conflict';
      if (!isRace || thrown.details.causes !== undefined || attempt === TRIES) throw thrown;
    }
  }
}
