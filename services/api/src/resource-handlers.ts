/** The verbs of the API on one kind of resource. */
import { isDeepStrictEqual } from 'node:util';
import { collectionOf, type Problem, type Resource } from '@tinkerbell/resources';
import type { ObjectKey, Store, StoredObject, Write } from '@tinkerbell/store-contract';
import type { Admission } from './admission.ts';
import { ApiError, invalid, successStatus } from './api-error.ts';
import { patched } from './patch.ts';
import { checked, newObject, updatedObject, withStatus, type ServerValues } from './prepare-object.ts';
import type { ResourceTarget } from './request-target.ts';

export interface VerbDeps {
  readonly store: Store;
  readonly admission: Admission;
  readonly values: () => ServerValues;
}

export interface VerbOptions {
  readonly strict: boolean;
  readonly dryRun: boolean;
}

export interface Outcome {
  readonly code: 200 | 201;
  readonly object: object;
  readonly warnings: readonly Problem[];
}

/** Conflicts in a row that a patch or a deletion without resourceVersion outlives. */
const TRIES = 5;

export async function getObject(deps: VerbDeps, target: ResourceTarget): Promise<Resource> {
  return (await existing(deps, target)).object;
}

export async function createObject(
  deps: VerbDeps,
  target: ResourceTarget,
  body: unknown,
  options: VerbOptions,
): Promise<Outcome> {
  const namespace = namespaceOf(target, body);
  const { resource, warnings } = checked(body, target.kind, options.strict);
  const object = newObject(resource, namespace, deps.values());
  await admit(deps, target, object, true);
  const key = keyOf(target, object.metadata.name, namespace);
  if (options.dryRun) {
    if ((await deps.store.get(key)) !== undefined) throw alreadyExists(target, key);
    return { code: 201, object, warnings };
  }
  return { code: 201, object: await write(deps, target, { operation: 'create', key, object }), warnings };
}

export async function replaceObject(
  deps: VerbDeps,
  target: ResourceTarget,
  body: unknown,
  options: VerbOptions,
): Promise<Outcome> {
  const current = await existing(deps, target);
  return change(deps, target, current, { submitted: body, options });
}

export async function patchObject(
  deps: VerbDeps,
  target: ResourceTarget,
  patch: { readonly body: unknown; readonly contentType: string },
  options: VerbOptions,
): Promise<Outcome> {
  const isRelative = versionOf(patch.body) === undefined;
  return outlivingConflicts(isRelative, async () => {
    const current = await existing(deps, target);
    const submitted = patched(current.object, patch.body, patch.contentType);
    return change(deps, target, current, { submitted, options });
  });
}

/** What names no version of the object holds for whatever it has become meanwhile. */
async function outlivingConflicts<Result>(isRelative: boolean, body: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await body();
    } catch (thrown) {
      const isRace = isRelative && thrown instanceof ApiError && thrown.reason === 'Conflict';
      if (!isRace || attempt === TRIES) throw thrown;
    }
  }
}

async function change(
  deps: VerbDeps,
  target: ResourceTarget,
  current: StoredObject,
  { submitted, options }: { readonly submitted: unknown; readonly options: VerbOptions },
): Promise<Outcome> {
  const { resource, warnings } = checked(submitted, target.kind, options.strict);
  if (resource.metadata.name !== current.key.name) {
    throw new ApiError(
      'BadRequest',
      `the name of the object (${resource.metadata.name}) does not match the name on the URL (${current.key.name})`,
    );
  }
  const version = versionOf(resource);
  if (version !== undefined && version !== String(current.revision)) throw conflict(target, current.key);
  const isStatus = target.subresource === 'status';
  const object = isStatus ? withStatus(current.object, resource) : updatedObject(current.object, resource);
  if (!isStatus) await admit(deps, target, object, false);
  if (options.dryRun) return { code: 200, object, warnings };
  if (isDeepStrictEqual(object, current.object)) return { code: 200, object: current.object, warnings };
  if (isReleased(object)) {
    await write(deps, target, { operation: 'delete', key: current.key, expectedRevision: current.revision });
    return { code: 200, object, warnings };
  }
  const written = await write(deps, target, {
    operation: 'update',
    key: current.key,
    object,
    expectedRevision: current.revision,
  });
  return { code: 200, object: written, warnings };
}

/** An object with finalizers is only marked; it goes when the last one is taken away. */
export async function deleteObject(
  deps: VerbDeps,
  target: ResourceTarget,
  options: { body: unknown; dryRun: boolean },
): Promise<object> {
  const { preconditions = {} } = (options.body ?? {}) as {
    preconditions?: { uid?: string; resourceVersion?: string };
  };
  const isRelative = preconditions.uid === undefined && preconditions.resourceVersion === undefined;
  return outlivingConflicts(isRelative, async () => {
    const current = await existing(deps, target);
    const { uid, resourceVersion } = current.object.metadata;
    const isOther = preconditions.uid !== undefined && preconditions.uid !== uid;
    const isNewer =
      preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion;
    if (isOther || isNewer) throw conflict(target, current.key);
    const details = {
      name: current.key.name,
      group: target.kind.group,
      kind: target.kind.plural,
      ...(uid === undefined ? {} : { uid }),
    };
    if (options.dryRun) return successStatus(details);
    if ((current.object.metadata.finalizers ?? []).length > 0) return markDeleted(deps, target, current);
    await write(deps, target, { operation: 'delete', key: current.key, expectedRevision: current.revision });
    return successStatus(details);
  });
}

async function markDeleted(deps: VerbDeps, target: ResourceTarget, current: StoredObject): Promise<Resource> {
  if (current.object.metadata.deletionTimestamp !== undefined) return current.object;
  const metadata = { ...current.object.metadata, deletionTimestamp: deps.values().now };
  const object = { ...current.object, metadata };
  return write(deps, target, {
    operation: 'update',
    key: current.key,
    object,
    expectedRevision: current.revision,
  });
}

function isReleased(object: Resource): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0;
}

async function admit(
  deps: VerbDeps,
  target: ResourceTarget,
  object: Resource,
  isNew: boolean,
): Promise<void> {
  const problems = await deps.admission.problemsOf(target.kind, object, isNew);
  if (problems.length > 0) throw invalid(target.kind.kind, object.metadata.name, problems);
}

async function write(deps: VerbDeps, target: ResourceTarget, write: Write): Promise<Resource> {
  const result = await deps.store.commit([write]);
  if (result.ok) return result.objects[0]?.object ?? (write as { object: Resource }).object;
  switch (result.reason) {
    case 'already-exists':
      throw alreadyExists(target, write.key);
    case 'conflict':
      throw conflict(target, write.key);
    case 'not-found':
      throw notFound(target, write.key.name);
    case 'unavailable':
      throw new ApiError('ServiceUnavailable', result.message);
  }
}

async function existing(deps: VerbDeps, target: ResourceTarget): Promise<StoredObject> {
  const name = target.name ?? '';
  const stored = await deps.store.get(keyOf(target, name, target.namespace ?? ''));
  if (stored === undefined) throw notFound(target, name);
  return stored;
}

function keyOf(target: ResourceTarget, name: string, namespace: string): ObjectKey {
  return { collection: collectionOf(target.kind), namespace, name };
}

function namespaceOf(target: ResourceTarget, body: unknown): string {
  const submitted = (body as { metadata?: { namespace?: unknown } } | null)?.metadata?.namespace;
  const namespace = target.namespace ?? '';
  if (typeof submitted === 'string' && submitted !== '' && submitted !== namespace) {
    throw new ApiError(
      'BadRequest',
      `the namespace of the object (${submitted}) does not match the namespace on the request (${namespace})`,
    );
  }
  return namespace;
}

function versionOf(value: unknown): string | undefined {
  const version = (value as { metadata?: { resourceVersion?: unknown } } | null)?.metadata?.resourceVersion;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

function notFound(target: ResourceTarget, name: string): ApiError {
  const { group, plural } = target.kind;
  return new ApiError('NotFound', `${plural}.${group} ${JSON.stringify(name)} not found`, {
    name,
    group,
    kind: plural,
  });
}

function alreadyExists(target: ResourceTarget, { name }: ObjectKey): ApiError {
  const { group, plural } = target.kind;
  return new ApiError('AlreadyExists', `${plural}.${group} ${JSON.stringify(name)} already exists`, {
    name,
    group,
    kind: plural,
  });
}

function conflict(target: ResourceTarget, { name }: ObjectKey): ApiError {
  const { group, plural } = target.kind;
  return new ApiError(
    'Conflict',
    `Operation cannot be fulfilled on ${plural}.${group} ${JSON.stringify(name)}: the object has been modified; please apply your changes to the latest version and try again`,
    { name, group, kind: plural },
  );
}
