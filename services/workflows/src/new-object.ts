import type { Clock, Random } from '@tinkerbell/platform-contract';
import { collectionOf, formatProblem, uidOf, validateResource, type Resource } from '@tinkerbell/resources';
import type { Collection, ObjectKey, Store } from '@tinkerbell/store-contract';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

export type Created<Made> =
  | { readonly ok: true; readonly object: Made }
  | {
      readonly ok: false;
      readonly reason: 'already-exists' | 'invalid' | 'unavailable';
      readonly message: string;
      readonly key: ObjectKey;
    };

/** Stores an object that this server creates. It is durable when the promise resolves with `ok`. */
export async function createObject<Made extends Resource>(
  deps: Deps,
  collection: Collection<Made>,
  made: Made,
): Promise<Created<Made>> {
  const prepared = withIdentity(deps, made);
  if (!prepared.ok) return prepared;
  const { key, object } = prepared;
  const result = await deps.store.commit([{ operation: 'create', key, object }]);
  if (result.ok) {
    const [stored] = result.objects;
    return { ok: true, object: stored !== undefined && collection.holds(stored) ? stored.object : object };
  }
  const reason = result.reason === 'already-exists' ? 'already-exists' : 'unavailable';
  return { ok: false, reason, key, message: result.message };
}

export type Prepared<Made> =
  | { readonly ok: true; readonly key: ObjectKey; readonly object: Made }
  | Extract<Created<Made>, { ok: false }>;

/** Checks an object and sets the identity fields that the API sets on created objects. */
export function withIdentity<Made extends Resource>(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  made: Made,
): Prepared<Made> {
  const { namespace, name } = made.metadata;
  const validated = validateResource(made);
  if (!validated.ok)
    return {
      ok: false,
      reason: 'invalid',
      key: { collection: made.kind, namespace, name },
      message: validated.problems.map(formatProblem).join('; '),
    };
  const object: Made = {
    ...made,
    metadata: {
      ...made.metadata,
      uid: uidOf(random.bytes(16)),
      creationTimestamp: new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z'),
      generation: 1,
    },
  };
  return { ok: true, key: { collection: collectionOf(validated.kind), namespace, name }, object };
}
