import type { Clock, Random } from '@tinkerbell/platform-contract';
import { collectionOf, formatProblem, validateResource, type Resource } from '@tinkerbell/resources';
import type { ObjectKey, Store } from '@tinkerbell/store-contract';

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

/** Stores an object that this server makes, with the identity that the API gives to what is posted. Durable when it resolves with `ok`. */
export async function createObject<Made extends Resource>(deps: Deps, made: Made): Promise<Created<Made>> {
  const { namespace, name } = made.metadata;
  const validated = validateResource(made);
  if (!validated.ok)
    return {
      ok: false,
      reason: 'invalid',
      key: { collection: made.kind, namespace, name },
      message: validated.problems.map(formatProblem).join('; '),
    };
  const key = { collection: collectionOf(validated.kind), namespace, name };
  const object: Made = {
    ...made,
    metadata: {
      ...made.metadata,
      uid: uuid(deps.random.bytes(16)),
      creationTimestamp: new Date(deps.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z'),
      generation: 1,
    },
  };
  const result = await deps.store.commit([{ operation: 'create', key, object }]);
  if (result.ok) return { ok: true, object: (result.objects[0]?.object as Made | undefined) ?? object };
  const reason = result.reason === 'already-exists' ? 'already-exists' : 'unavailable';
  return { ok: false, reason, key, message: result.message };
}

/** Version 4 (RFC 9562, section 5.4). */
function uuid(random: Uint8Array): string {
  const bytes = Uint8Array.from(random);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toHex();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
