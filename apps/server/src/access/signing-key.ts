/** The key that signs our tokens. It is created once and stored in a Secret, so that all servers of a store share it. */
import { newSigningKey } from '@tinkerbell/platform-jwt';
import { apiVersionOf, collectionOf, isRecord, secretKind, type Secret } from '@tinkerbell/resources';
import type { ObjectKey, Store } from '@tinkerbell/store-contract';

/** The API hides this Secret, because its key can sign tokens for any account. */
export const signingKeyPlace: ObjectKey = {
  collection: collectionOf(secretKind),
  namespace: 'tinkerbell',
  name: 'token-signing-key',
};

const FIELD = 'key.json';

type SigningKey = Awaited<ReturnType<typeof newSigningKey>>;

/** Rejects if the key can be neither read nor stored. */
export async function sharedSigningKey(store: Store, nowMs: number, uid: string): Promise<SigningKey> {
  const found = await store.get(signingKeyPlace);
  if (found !== undefined) return keyIn(found.object);
  const key = await newSigningKey();
  const { namespace, name } = signingKeyPlace;
  const creationTimestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const object: Secret = {
    apiVersion: apiVersionOf(secretKind),
    kind: secretKind.kind,
    metadata: { name, namespace, uid, creationTimestamp },
    type: 'tinkerbell.org/token-signing-key',
    data: { [FIELD]: Buffer.from(JSON.stringify(key)).toString('base64') },
  };
  const made = await store.commit([{ operation: 'create', key: signingKeyPlace, object }]);
  if (made.ok) return key;
  const others = await store.get(signingKeyPlace);
  if (others === undefined) throw new Error(`cannot store the key that signs tokens: ${made.message}`);
  return keyIn(others.object);
}

function keyIn(secret: Secret): SigningKey {
  const key: unknown = JSON.parse(Buffer.from(secret.data?.[FIELD] ?? '', 'base64').toString('utf8'));
  if (!isKey(key)) throw new Error(`the Secret ${signingKeyPlace.name} has no JSON Web Key`);
  return key;
}

/** Whether it can sign is checked where it is used. */
function isKey(value: unknown): value is SigningKey {
  return isRecord(value) && typeof value['kty'] === 'string';
}
