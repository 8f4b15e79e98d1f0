/** Finds an object by its name or by its uid. Introductions to Tinkerbell use `<workflow-id>`. */
import type { Resource } from '@tinkerbell/resources';
import type { ApiKind } from './api-kind.ts';
import type { ApiClient, ObjectName } from './client.ts';

/** A UUID (RFC 9562), the format of metadata.uid. */
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface NameSpace {
  readonly client: ApiClient;
  readonly namespace: string;
}

/**
 * Returns the name of the object with that uid in the namespace. An object named `word` takes precedence. Returns `word` for
 * all else.
 */
export async function named<Object extends Resource>(
  { client, namespace }: NameSpace,
  kind: ApiKind<Object>,
  word: string,
): Promise<ObjectName<Object>> {
  if (!UID.test(word)) return { kind, namespace, name: word };
  const { items } = await client.list(kind, kind.namespaced === false ? {} : { namespace });
  const isNamed = items.some(({ metadata }) => metadata.name === word);
  const uid = word.toLowerCase();
  const found = isNamed ? undefined : items.find(({ metadata }) => metadata.uid?.toLowerCase() === uid);
  return { kind, namespace, name: found?.metadata.name ?? word };
}
