/**
 * Reads, decides, and writes if the object has not changed in between, or else tries again. Every service changes objects this
 * way.
 */
import type { Resource } from '@tinkerbell/resources';
import { formatKey, type ObjectKey, type Store } from './store.ts';

export type Decision<Refusal, Object extends Resource = Resource> =
  | { readonly object: Object }
  | { readonly refusal: Refusal };

export type Updated<Refusal, Object extends Resource = Resource> =
  | { readonly ok: true; readonly before: Object; readonly after: Object }
  /** The decision was not to change it. */
  | { readonly ok: false; readonly kind: 'refused'; readonly refusal: Refusal; readonly object: Object }
  | { readonly ok: false; readonly kind: 'not-found' | 'unavailable'; readonly message: string };

/** The number of conflicts in a row before giving up. Each one means that another writer was first. */
const TRIES = 5;

/** `decide` is called again with the latest object for each try. When the promise resolves with `ok`, the change is durable. */
export async function updateObject<Refusal>(
  store: Store,
  key: ObjectKey,
  decide: (current: Resource) => Decision<Refusal>,
): Promise<Updated<Refusal>> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const stored = await store.get(key);
    if (stored === undefined) return { ok: false, kind: 'not-found', message: `${formatKey(key)} not found` };
    const decision = decide(stored.object);
    if ('refusal' in decision)
      return { ok: false, kind: 'refused', refusal: decision.refusal, object: stored.object };
    const write = {
      operation: 'update',
      key,
      object: decision.object,
      expectedRevision: stored.revision,
    } as const;
    const result = await store.commit([write]);
    if (result.ok)
      return { ok: true, before: stored.object, after: result.objects[0]?.object ?? decision.object };
    if (result.reason === 'unavailable') return { ok: false, kind: 'unavailable', message: result.message };
  }
  return { ok: false, kind: 'unavailable', message: `${formatKey(key)} is being written by others` };
}
