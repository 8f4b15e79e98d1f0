/** One write of the store as requests to the API. */
import type { Resource } from '@tinkerbell/resources';
import {
  formatKey,
  refusalOf,
  type Refusal,
  type StoredObject,
  type Write,
} from '@tinkerbell/store-contract';
import type { Answer, ClusterClient } from './cluster-client.ts';
import { collectionPath, hasStatusSubresource, objectPath } from './collection-paths.ts';

export type Written =
  | { readonly ok: true; readonly object: Resource }
  | { readonly ok: false; readonly refusal: Refusal };

/** `current` as it was read before. What somebody else writes in between is a conflict. */
export function performWrite(
  client: ClusterClient,
  write: Write,
  current: StoredObject | undefined,
): Promise<Written> {
  if (write.operation === 'create') return create(client, write);
  if (write.operation === 'update') return update(client, write, current);
  return remove(client, write, current);
}

async function create(
  client: ClusterClient,
  write: Extract<Write, { operation: 'create' }>,
): Promise<Written> {
  const { collection, namespace } = write.key;
  const path = collectionPath(collection, namespace);
  const created = outcomeOf(write, await client.call({ method: 'POST', path, body: bare(write.object) }));
  if (!created.ok || write.object.status === undefined || !hasStatusSubresource(collection)) return created;
  return putStatus(client, write, created.object);
}

async function update(
  client: ClusterClient,
  write: Extract<Write, { operation: 'update' }>,
  current: StoredObject | undefined,
): Promise<Written> {
  const withRevision = {
    ...write.object,
    metadata: { ...write.object.metadata, resourceVersion: String(write.expectedRevision) },
  };
  const hasStatus = hasStatusSubresource(write.key.collection);
  const changesStatus = hasStatus && textOf(write.object.status) !== textOf(current?.object.status);
  const changesRest = !hasStatus || restOf(write.object) !== (current && restOf(current.object));
  if (!changesRest && changesStatus) return putStatus(client, write, withRevision);
  const body = withRevision;
  const updated = outcomeOf(write, await client.call({ method: 'PUT', path: objectPath(write.key), body }));
  return updated.ok && changesStatus ? putStatus(client, write, updated.object) : updated;
}

/** Upon the revision of `object`, so that nobody else's status is lost. */
async function putStatus(
  client: ClusterClient,
  write: Exclude<Write, { operation: 'delete' }>,
  object: Resource,
): Promise<Written> {
  const body = { ...object, status: write.object.status ?? {} };
  return outcomeOf(
    write,
    await client.call({ method: 'PUT', path: `${objectPath(write.key)}/status`, body }),
  );
}

async function remove(
  client: ClusterClient,
  write: Extract<Write, { operation: 'delete' }>,
  current: StoredObject | undefined,
): Promise<Written> {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { resourceVersion: String(write.expectedRevision) },
  };
  const path = objectPath(write.key);
  const removed = outcomeOf(write, await client.call({ method: 'DELETE', path, body }));
  return removed.ok && current !== undefined ? { ok: true, object: current.object } : removed;
}

function outcomeOf(write: Write, { status, body }: Answer): Written {
  if (status >= 200 && status < 300) return { ok: true, object: body as Resource };
  const { message = '', reason = '' } = body as { readonly message?: string; readonly reason?: string };
  const refuse = (why: Refusal['reason']): Written => ({
    ok: false,
    refusal: { ok: false, reason: why, key: write.key, message: `${formatKey(write.key)}: ${message}` },
  });
  if (status === 404) return refuse('not-found');
  if (status === 409) return refuse(reason === 'AlreadyExists' ? 'already-exists' : 'conflict');
  if (status === 429 || status >= 500) return refuse('unavailable');
  throw new Error(
    `the Kubernetes API refuses ${write.operation} of ${formatKey(write.key)}: ${status} ${message}`,
  );
}

/** The first write that cannot succeed upon what was read. */
export function firstRefusal(
  writes: readonly Write[],
  current: readonly (StoredObject | undefined)[],
): Refusal | undefined {
  for (const [index, write] of writes.entries()) {
    const refusal = refusalOf(write, current[index]);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** A new object names no revision. */
function bare(object: Resource): Resource {
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function restOf({ status: _status, metadata, ...rest }: Resource): string {
  const { resourceVersion: _revision, ...others } = metadata;
  return textOf({ ...rest, metadata: others });
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}
