/** One write of the store as requests to the API. */
import { PlatformError } from '@tinkerbell/platform-contract';
import { isDeepEqual, type Resource } from '@tinkerbell/resources';
import {
  formatKey,
  refusalOf,
  type Refusal,
  type StoredObject,
  type Write,
} from '@tinkerbell/store-contract';
import type { ClusterCalls, WriteAnswer } from './cluster-calls.ts';
import { collectionPath, hasStatusSubresource, objectPath } from './collection-paths.ts';
import { messageIn, refused } from './refused.ts';
import { includes, isAsWritten } from './written-object.ts';

export interface WriteDeps {
  readonly calls: ClusterCalls;
  readonly url: string;
}

export type Written =
  | { readonly ok: true; readonly object: Resource }
  | { readonly ok: false; readonly refusal: Refusal };

type Create = Extract<Write, { operation: 'create' }>;
type Update = Extract<Write, { operation: 'update' }>;
type Delete = Extract<Write, { operation: 'delete' }>;

/**
 * `current` as it was read before. What somebody else writes in between is a conflict. A request whose answer was lost is sent again:
 * the name or the revision that it is based on keeps it from being done twice, and when that is gone the object shows who took it.
 */
export function performWrite(
  deps: WriteDeps,
  write: Write,
  current: StoredObject | undefined,
): Promise<Written> {
  if (write.operation === 'create') return create(deps, write);
  if (write.operation === 'update') return update(deps, write, current);
  return remove(deps, write, current);
}

async function create(deps: WriteDeps, write: Create): Promise<Written> {
  const { collection, namespace } = write.key;
  const body = bare(write.object);
  const answer = await deps.calls.write({
    method: 'POST',
    path: collectionPath(collection, namespace),
    body,
  });
  const isOurs = (found: Resource): boolean =>
    includes({ ...found, status: undefined }, { ...body, status: undefined });
  const created = await settled(deps, write, answer, isOurs);
  if (!created.ok || write.object.status === undefined || !hasStatusSubresource(collection)) return created;
  // After a lost answer somebody may have gone on with it.
  if (created.object.status !== undefined) return created;
  return putStatus(deps, write, created.object);
}

async function update(deps: WriteDeps, write: Update, current: StoredObject | undefined): Promise<Written> {
  const body = {
    ...write.object,
    metadata: { ...write.object.metadata, resourceVersion: String(write.expectedRevision) },
  };
  const hasStatus = hasStatusSubresource(write.key.collection);
  const changesStatus = hasStatus && !isDeepEqual(statusOf(write.object), statusOf(current?.object));
  const changesRest =
    !hasStatus || current === undefined || !isDeepEqual(restOf(write.object), restOf(current.object));
  if (!changesRest && changesStatus) return putStatus(deps, write, body);
  const answer = await deps.calls.write({ method: 'PUT', path: objectPath(write.key), body });
  const isOurs = (found: Resource): boolean =>
    isAsWritten(hasStatus ? restOf(found) : found, hasStatus ? restOf(body) : body);
  const updated = await settled(deps, write, answer, isOurs);
  return updated.ok && changesStatus ? putStatus(deps, write, updated.object) : updated;
}

/** Upon the revision of `object`, so that nobody else's status is lost. */
async function putStatus(deps: WriteDeps, write: Create | Update, object: Resource): Promise<Written> {
  const body = { ...object, status: write.object.status ?? {} };
  const answer = await deps.calls.write({ method: 'PUT', path: `${objectPath(write.key)}/status`, body });
  return settled(deps, write, answer, (found) => isAsWritten(found, body));
}

async function remove(deps: WriteDeps, write: Delete, current: StoredObject | undefined): Promise<Written> {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { resourceVersion: String(write.expectedRevision) },
  };
  const answer = await deps.calls.write({ method: 'DELETE', path: objectPath(write.key), body });
  const isGone = answer.status === 404 && answer.isUncertain;
  if (isGone && current !== undefined) return { ok: true, object: current.object };
  const removed = outcomeOf(deps, write, answer);
  return removed.ok && current !== undefined ? { ok: true, object: current.object } : removed;
}

/** After a lost answer, a conflict may be with our own request: then the object is as it wrote it. */
async function settled(
  deps: WriteDeps,
  write: Write,
  answer: WriteAnswer,
  isOurs: (found: Resource) => boolean,
): Promise<Written> {
  if (answer.status !== 409 || !answer.isUncertain) return outcomeOf(deps, write, answer);
  const { status, body } = await deps.calls.read(objectPath(write.key));
  if (status === 200 && isOurs(body as Resource)) return { ok: true, object: body as Resource };
  return outcomeOf(deps, write, answer);
}

const verbs = { create: 'create', update: 'update', delete: 'delete' } as const;

function outcomeOf({ url }: WriteDeps, write: Write, { status, body }: WriteAnswer): Written {
  if (status >= 200 && status < 300) return { ok: true, object: body as Resource };
  const text = messageIn(body);
  const { reason = '' } = body as { readonly reason?: string };
  const refuse = (why: Refusal['reason']): Written => ({
    ok: false,
    refusal: { ok: false, reason: why, key: write.key, message: `${formatKey(write.key)}: ${text}` },
  });
  if (status === 404) return refuse('not-found');
  if (status === 409) return refuse(reason === 'AlreadyExists' ? 'already-exists' : 'conflict');
  const { collection } = write.key;
  if (status === 401 || status === 403)
    throw refused({ url, verb: verbs[write.operation], collection, status, text });
  throw new Error(
    `the Kubernetes API refuses ${write.operation} of ${formatKey(write.key)}: ${status} ${text}`,
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

/** The reason of a refusal of the whole commit. */
export function unavailable(write: Write | undefined, thrown: unknown): Refusal {
  if (!(thrown instanceof PlatformError)) throw thrown;
  const key = write?.key ?? { collection: '', namespace: '', name: '' };
  return { ok: false, reason: 'unavailable', key, message: thrown.message };
}

/** A new object names no revision. */
function bare(object: Resource): Resource {
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function statusOf(object: Resource | undefined): unknown {
  return object?.status ?? {};
}

function restOf({ status: _status, metadata, ...rest }: Resource): Resource {
  const { resourceVersion: _revision, ...others } = metadata;
  return { ...rest, metadata: others };
}
