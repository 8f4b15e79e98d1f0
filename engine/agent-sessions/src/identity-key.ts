/** The key of all tokens. It is created once, in a Secret, so that servers on one store share it. */
import type { TokenKey } from '@tinkerbell/agent-identity';
import type { Clock, Hmac, Random } from '@tinkerbell/platform-contract';
import { apiVersionOf, collectionOf, secretKind, uidOf, type Secret } from '@tinkerbell/resources';
import type { ObjectKey, Store } from '@tinkerbell/store-contract';

/** The API never returns it: the holder of the key can impersonate any machine. */
export const identityKeyPlace: ObjectKey = {
  collection: collectionOf(secretKind),
  namespace: 'tinkerbell',
  name: 'tinkerbell-agent-identity',
};

const FIELD = 'key';
const KEY_BYTES = 32;

interface KeyDeps {
  readonly store: Store;
  readonly hmac: Hmac;
  readonly random: Pick<Random, 'bytes'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Rejects when the store can neither be read nor written. */
export async function openIdentityKey({ store, hmac, random, clock }: KeyDeps): Promise<TokenKey> {
  const found = await store.get(identityKeyPlace);
  if (found !== undefined) return keyIn(found.object, hmac);
  const { namespace, name } = identityKeyPlace;
  const creationTimestamp = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  const object: Secret = {
    apiVersion: apiVersionOf(secretKind),
    kind: secretKind.kind,
    metadata: { name, namespace, uid: uidOf(random.bytes(16)), creationTimestamp },
    type: 'tinkerbell.org/agent-identity-key',
    data: { [FIELD]: Buffer.from(random.bytes(KEY_BYTES)).toString('base64') },
  };
  const made = await store.commit([{ operation: 'create', key: identityKeyPlace, object }]);
  if (made.ok) return keyIn(object, hmac);
  const others = await store.get(identityKeyPlace);
  if (others === undefined) throw new Error(`it cannot be stored: ${made.message}`);
  return keyIn(others.object, hmac);
}

function keyIn(secret: Secret, hmac: Hmac): TokenKey {
  const bytes = new Uint8Array(Buffer.from(secret.data?.[FIELD] ?? '', 'base64'));
  if (bytes.length !== KEY_BYTES)
    throw new Error(
      `data.${FIELD} of Secret ${identityKeyPlace.namespace}/${identityKeyPlace.name} has ${bytes.length} bytes instead of ${KEY_BYTES}; delete the Secret, and the server creates a new one`,
    );
  return {
    sign: (content) => hmac.hmacSha256(bytes, content),
    isSame: (one, other) => hmac.timingSafeEqual(one, other),
  };
}
