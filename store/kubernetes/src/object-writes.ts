/** Performs one write of the store as requests to the API. */
import { PlatformError } from '@tinkerbell/platform-contract';
import { isDeepEqual, type Resource } from '@tinkerbell/resources';
import {
  formatKey,
  refusalOf,
  type Refusal,
  type StoredObject,
  type Write,
} from '@tinkerbell/store-contract';
import { objectIn, statusIn } from './answer-bodies.ts';
import type { ClusterCalls, WriteAnswer } from './cluster-calls.ts';
import { isAboutFields, type ClusterFields } from './cluster-fields.ts';
import { withFieldsRestored } from './field-placement.ts';
import { collectionPath, hasStatusSubresource, objectPath } from './collection-paths.ts';
import { messageIn, refused } from './refused.ts';
import { includes, isAsWritten } from './written-object.ts';

export interface WriteDeps {
  readonly calls: ClusterCalls;
  readonly fields: ClusterFields;
  readonly url: string;
}

export type Written =
  | { readonly ok: true; readonly object: Resource }
  | { readonly ok: false; readonly refusal: Refusal };

type Create = Extract<Write, { operation: 'create' }>;
type Update = Extract<Write, { operation: 'update' }>;
type Delete = Extract<Write, { operation: 'delete' }>;

/**
 * `current` is the object as it was read before. A write by another client in between is a conflict. A request whose answer was
 * lost is sent again. The name or the revision on which it is based prevents it from being applied twice, and when that has
 * changed the object shows which write was applied.
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
  const hasStatus = hasStatusSubresource(collection);
  const object = bare(deps.fields.placed(collection, write.object));
  const body = hasStatus ? withoutStatus(object) : object;
  const path = `${collectionPath(collection, namespace)}${deps.fields.query(collection)}`;
  const answer = await deps.calls.write({ method: 'POST', path, body });
  const isOurs = (found: Resource): boolean => includes(withoutStatus(found), withoutStatus(body));
  const created = await settled(deps, { write, answer }, isOurs);
  if (!created.ok || write.object.status === undefined || !hasStatus) return created;
  // After a lost answer, another client may have changed it.
  if (created.object.status !== undefined) return created;
  return putStatus(deps, write, created.object);
}

async function update(deps: WriteDeps, write: Update, current: StoredObject | undefined): Promise<Written> {
  const { collection } = write.key;
  const object = deps.fields.placed(collection, write.object);
  const before = current && deps.fields.placed(collection, current.object);
  const based = basedOn(object, String(write.expectedRevision));
  if (!hasStatusSubresource(collection)) return putObject(deps, write, based);
  const changesStatus = !isDeepEqual(statusOf(object), statusOf(before));
  const changesRest = before === undefined || !isDeepEqual(restOf(object), restOf(before));
  if (!changesRest && changesStatus) return putStatus(deps, write, based);
  const updated = await putObject(deps, write, withoutStatus(based));
  if (!updated.ok || !changesStatus) return updated;
  // After a lost answer, another client may have changed it, and its status must not be overwritten.
  const now = deps.fields.placed(collection, withFieldsRestored(collection, updated.object));
  if (!isDeepEqual(statusOf(now), statusOf(before))) return conflict(write);
  return putStatus(deps, write, updated.object);
}

function conflict({ key }: Write): Written {
  const message = `${formatKey(key)}: the object has been modified; please apply your changes to the latest version`;
  return { ok: false, refusal: { ok: false, reason: 'conflict', key, message } };
}

async function putObject(deps: WriteDeps, write: Create | Update, body: Resource): Promise<Written> {
  const path = `${objectPath(write.key)}${deps.fields.query(write.key.collection)}`;
  const answer = await deps.calls.write({ method: 'PUT', path, body });
  const isWhole = body.status !== undefined;
  return settled(deps, { write, answer }, (found) =>
    isAsWritten(isWhole ? found : withoutStatus(found), body),
  );
}

/** Based on the revision of `object`, so that no other client's status is lost. */
async function putStatus(deps: WriteDeps, write: Create | Update, object: Resource): Promise<Written> {
  const { collection } = write.key;
  const wanted = { ...object, status: write.object.status ?? {} };
  const body = deps.fields.placed(collection, wanted);
  const path = `${objectPath(write.key)}/status${deps.fields.query(collection)}`;
  const answer = await deps.calls.write({ method: 'PUT', path, body });
  if (deps.fields.learns(collection, answer)) return putStatusElsewhere(deps, write, wanted);
  return settled(deps, { write, answer }, (found) => isAsWritten(found, body));
}

/** The cluster has just refused added fields, so nothing of the status is written yet. */
async function putStatusElsewhere(
  deps: WriteDeps,
  write: Create | Update,
  wanted: Resource,
): Promise<Written> {
  const placed = deps.fields.placed(write.key.collection, wanted);
  if (isDeepEqual(placed.metadata, wanted.metadata)) return putStatus(deps, write, wanted);
  const annotated = await putObject(deps, write, withoutStatus(placed));
  return annotated.ok ? putStatus(deps, write, annotated.object) : annotated;
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

/** After a lost answer, the conflict may be with the same request. Then the object is as this request wrote it. */
async function settled(
  deps: WriteDeps,
  { write, answer }: { readonly write: Write; readonly answer: WriteAnswer },
  isOurs: (found: Resource) => boolean,
): Promise<Written> {
  if (answer.status !== 409 || !answer.isUncertain) return outcomeOf(deps, write, answer);
  const { status, body } = await deps.calls.read(objectPath(write.key));
  if (status === 200 && isOurs(objectIn(body))) return { ok: true, object: objectIn(body) };
  return outcomeOf(deps, write, answer);
}

const verbs = { create: 'create', update: 'update', delete: 'delete' } as const;

function outcomeOf({ url }: WriteDeps, write: Write, { status, body }: WriteAnswer): Written {
  if (status >= 200 && status < 300) return { ok: true, object: objectIn(body) };
  const text = messageIn(body);
  const { reason } = statusIn(body);
  const refuse = (why: Refusal['reason']): Written => ({
    ok: false,
    refusal: { ok: false, reason: why, key: write.key, message: `${formatKey(write.key)}: ${text}` },
  });
  if (status === 404) return refuse('not-found');
  if (status === 409) return refuse(reason === 'AlreadyExists' ? 'already-exists' : 'conflict');
  const { collection } = write.key;
  if (status === 401 || status === 403)
    throw refused({ url, verb: verbs[write.operation], collection, status, text });
  if (isAboutFields({ status, body }))
    throw new PlatformError(
      'unavailable',
      `the CustomResourceDefinition of ${collection} at ${url} is older than this server: ${text}; install ours: tinkerbell crds apply`,
    );
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

/** The reason why the whole commit is refused. */
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

function withoutStatus({ status: _status, ...rest }: Resource): Resource {
  return rest;
}

function basedOn(object: Resource, resourceVersion: string): Resource {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function restOf({ status: _status, metadata, ...rest }: Resource): Resource {
  const { resourceVersion: _revision, ...others } = metadata;
  return { ...rest, metadata: others };
}
