/** Reads what a driver needs from a `spec.connection` and the Secrets that it names. */
import type { EndpointTrust } from '@tinkerbell/platform-contract';
import { collectionOf, secretKind, type Connection, type Secret } from '@tinkerbell/resources';
import { Collection, type Store } from '@tinkerbell/store-contract';
import { CERTIFICATE_ANNOTATION, type PinnedConnection, type ProviderName } from '@tinkerbell/bmc';
import { BmcError } from '../bmc-error.ts';
import type { BmcCredentials } from '../driver.ts';

const secretCollection = new Collection<Secret>(collectionOf(secretKind));

export interface ResolvedConnection {
  readonly connection: Connection;
  readonly credentials: BmcCredentials;
  readonly trust: EndpointTrust;
  /** The keys of the signatures of RPC, by algorithm. */
  readonly hmacKeys: Readonly<Record<string, readonly string[]>>;
  /** The revisions of the Secrets, so that a session does not outlive its password. */
  readonly version: string;
}

/** The trust of connections whose `insecureTLS` is false and whose certificate is not pinned. */
export type TrustOf = (connection: Connection) => EndpointTrust;

/**
 * Rejects with `wrong-credentials` when a Secret or a key of it is missing, and with `untrusted-certificate` for a pin that is not
 * a SHA-256.
 */
export async function resolveConnection(
  store: Store,
  connection: PinnedConnection,
  trustOf: TrustOf,
): Promise<ResolvedConnection> {
  const reader = new SecretReader(store);
  const { rpc } = connection.providerOptions ?? {};
  const hmacKeys: Record<string, readonly string[]> = {};
  for (const [algorithm, references] of Object.entries(rpc?.hmac?.secrets ?? {}))
    hmacKeys[algorithm] = await Promise.all(references.map((one) => reader.value(one, 'secret')));
  const credentials = await credentialsOf(reader, connection);
  const trust = trustIn(connection, trustOf);
  return { connection, credentials, trust, hmacKeys, version: reader.version() };
}

function trustIn(connection: PinnedConnection, trustOf: TrustOf): EndpointTrust {
  const { certificateSha256: sha256, insecureTLS } = connection;
  if (sha256 === undefined) return insecureTLS ? { kind: 'any' } : trustOf(connection);
  if (/^[0-9a-f]{64}$/.test(sha256)) return { kind: 'pin', sha256 };
  const shown = JSON.stringify(sha256.slice(0, 80));
  throw new BmcError('untrusted-certificate', `${CERTIFICATE_ANNOTATION}: ${shown}: must be 64 hex digits`);
}

async function credentialsOf(reader: SecretReader, connection: PinnedConnection): Promise<BmcCredentials> {
  const { authSecretRef, providerOptions } = connection;
  if (authSecretRef?.name === undefined && providerOptions?.rpc !== undefined)
    return { username: '', password: '' };
  if (authSecretRef?.name === undefined)
    throw new BmcError('wrong-credentials', 'spec.connection.authSecretRef names no Secret');
  const [username, password] = [
    await reader.value(authSecretRef, 'username'),
    await reader.value(authSecretRef, connection.passwordKey ?? 'password'),
  ];
  return { username, password };
}

interface Reference {
  readonly name?: string;
  readonly namespace?: string;
}

class SecretReader {
  readonly #store: Store;
  readonly #revisions = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  async value({ name = '', namespace = '' }: Reference, key: string): Promise<string> {
    const stored = await secretCollection.get(this.#store, { namespace, name });
    if (stored === undefined)
      throw new BmcError('wrong-credentials', `there is no Secret ${namespace}/${name}`);
    const value = stored.object.data?.[key];
    if (value === undefined)
      throw new BmcError('wrong-credentials', `Secret ${namespace}/${name} has no key ${key}`);
    this.#revisions.set(`${namespace}/${name}`, stored.revision);
    return new TextDecoder().decode(Uint8Array.fromBase64(value));
  }

  version(): string {
    return [...this.#revisions].map(([name, revision]) => `${name}@${revision}`).join(' ');
  }
}

/** Returns the options of a driver, in the form that the driver reads. */
export function optionsFor(
  provider: ProviderName,
  { connection: { providerOptions = {} }, hmacKeys }: Pick<ResolvedConnection, 'connection' | 'hmacKeys'>,
): unknown {
  switch (provider) {
    case 'ipmitool':
      return providerOptions.ipmitool ?? {};
    case 'gofish':
      return providerOptions.redfish ?? {};
    case 'intelamt':
      return providerOptions.intelAMT ?? {};
    case 'rpc':
      return { ...providerOptions.rpc, hmacKeys };
    case 'homeassistant':
      return providerOptions.homeassistant ?? {};
  }
}
