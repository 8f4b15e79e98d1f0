/** The verbs of the API on one kind of resource. */
import {
  isDeepEqual,
  isRecord,
  managersAfterUpdate,
  objectSchemaOf,
  type Problem,
  type Resource,
} from '@tinkerbell/resources';
import { inTurns, type TextReader } from '@tinkerbell/platform-contract';
import type { Store, StoredObject } from '@tinkerbell/store-contract';
import type { Admission } from './admission.ts';
import { ApiError, invalid } from './api-error.ts';
import { isReleased } from './delete-object.ts';
import { completed } from './initial-status.ts';
import type { KindCatalog } from './kind-catalog.ts';
import { refuseWithoutNamespace } from './namespace-lifecycle.ts';
import { alreadyExists, conflict } from './object-errors.ts';
import { patched, refuseLarge } from './patch/patch.ts';
import { checked, newObject, updatedObject, withStatus, type ServerValues } from './prepare-object.ts';
import type { ResourceTarget } from './request-target.ts';
import { existing, keyOf, outlivingConflicts, write } from './stored-object.ts';
import type { WriteOptions } from './write-options.ts';

export interface VerbDeps {
  readonly store: Store;
  readonly catalog: KindCatalog;
  readonly admission: Admission;
  readonly values: () => ServerValues;
  /** If undefined, custom resources are checked in this thread. */
  readonly texts?: TextReader;
}

export interface Outcome {
  readonly code: 200 | 201;
  readonly object: Resource;
  /** The object as JSON, if the store has encoded it. */
  readonly text?: string | undefined;
  readonly warnings: readonly Problem[];
}

export async function getObject(deps: VerbDeps, target: ResourceTarget): Promise<Resource> {
  return (await existing(deps.store, target)).object;
}

export async function createObject(
  deps: VerbDeps,
  target: ResourceTarget,
  { submitted, options, managedFields }: Submission,
): Promise<Outcome> {
  refuseOtherNamespace(target, submitted);
  const { kind, namespace = '' } = target;
  const expected = { kind, texts: deps.texts };
  const { resource, warnings: ofFields } = await checked(submitted, expected, options.unknownFields);
  const values = deps.values();
  const made = newObject(kind, resource, { namespace, values });
  const whole = completed(kind, made, { catalog: deps.catalog, values });
  const object =
    managedFields === undefined ? whole : { ...whole, metadata: { ...whole.metadata, managedFields } };
  await refuseLarge(object);
  await refuseWithoutNamespace(deps.store, target, object.metadata.name);
  const warnings = [...ofFields, ...(await admit(deps, target, { object, isNew: true }))];
  const key = keyOf(target, object.metadata.name);
  if (options.dryRun) {
    if ((await deps.store.get(key)) !== undefined) throw alreadyExists(target, key.name);
    return { code: 201, object, warnings };
  }
  const written = await write(deps.store, target, { operation: 'create', key, object });
  return { code: 201, ...written, warnings };
}

export function replaceObject(
  deps: VerbDeps,
  target: ResourceTarget,
  submission: Submission,
): Promise<Outcome> {
  const isRelative = versionOf(submission.submitted) === undefined;
  return outlivingConflicts(isRelative, async () => {
    const current = await existing(deps.store, target);
    return await change(deps, target, { ...submission, current });
  });
}

export function patchObject(
  deps: VerbDeps,
  target: ResourceTarget,
  {
    options,
    ...patch
  }: { readonly body: unknown; readonly contentType: string; readonly options: WriteOptions },
): Promise<Outcome> {
  const isRelative = versionOf(patch.body) === undefined;
  return outlivingConflicts(isRelative, async () => {
    const current = await existing(deps.store, target);
    const submitted = await patched(current.object, patch, target.kind);
    return await change(deps, target, { current, submitted, options });
  });
}

export interface Submission {
  readonly submitted: unknown;
  readonly options: WriteOptions;
  /** Field ownership after server-side apply. Otherwise it follows from the changes. */
  readonly managedFields?: Resource['metadata']['managedFields'];
}

interface Change extends Submission {
  readonly current: StoredObject;
}

/** Merges the submitted object into the one that was read, and writes it. Throws an ApiError. */
export async function change(
  deps: VerbDeps,
  target: ResourceTarget,
  { current, ...submission }: Change,
): Promise<Outcome> {
  const { submitted, options } = submission;
  const { kind } = target;
  const before = current.object;
  const expected = { kind, before, texts: deps.texts };
  const { resource, warnings: ofFields } = await checked(submitted, expected, options.unknownFields);
  refuseOtherObject(target, current, resource);
  const isStatus = target.subresource === 'status';
  const changed = isStatus ? withStatus(before, resource) : updatedObject(kind, before, resource);
  const values = deps.values();
  const whole = completed(kind, changed, { catalog: deps.catalog, values });
  // Most objects were never applied, and then nobody owns their fields.
  const isManaged = (submission.managedFields ?? before.metadata.managedFields) !== undefined;
  const object = isManaged
    ? await withManagers(target, { before, after: whole }, { ...submission, now: values.now })
    : whole;
  const measured = refuseLarge(object);
  if (measured !== undefined) await measured;
  if (!isStatus) refuseNewFinalizers(target, before, object);
  const ofAdmission = isStatus ? [] : await admit(deps, target, { object, isNew: false });
  const warnings = [...ofFields, ...ofAdmission];
  if (options.dryRun) return { code: 200, object, warnings };
  if (isDeepEqual(object, before)) return { code: 200, object: before, warnings };
  const { key, revision: expectedRevision } = current;
  if (isReleased(object)) {
    await write(deps.store, target, { operation: 'delete', key, expectedRevision });
    return { code: 200, object, warnings };
  }
  const written = await write(deps.store, target, { operation: 'update', key, object, expectedRevision });
  return { code: 200, ...written, warnings };
}

async function withManagers(
  { kind, subresource }: ResourceTarget,
  { before, after }: { readonly before: Resource; readonly after: Resource },
  { managedFields: given, options, now }: Submission & { readonly now: string },
): Promise<Resource> {
  const manager = { name: options.manager, now, ...(subresource === undefined ? {} : { subresource }) };
  const managedFields =
    given ?? (await inTurns(managersAfterUpdate({ before, after }, objectSchemaOf(kind), manager)));
  return managedFields === undefined ? after : { ...after, metadata: { ...after.metadata, managedFields } };
}

function refuseOtherObject(target: ResourceTarget, current: StoredObject, submitted: Resource): void {
  const { name, uid } = submitted.metadata;
  if (name !== current.key.name) {
    throw new ApiError(
      'BadRequest',
      `the name of the object (${name}) does not match the name on the URL (${current.key.name})`,
    );
  }
  refuseOtherNamespace(target, submitted);
  const version = versionOf(submitted);
  if (version !== undefined && version !== String(current.revision)) throw conflict(target, name);
  const { uid: ownUid } = current.object.metadata;
  if (uid !== undefined && uid !== '' && uid !== ownUid)
    throw conflict(
      target,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${ownUid}`,
    );
}

/** A client cannot add finalizers to an object that is being deleted. */
function refuseNewFinalizers(target: ResourceTarget, before: Resource, after: Resource): void {
  if (before.metadata.deletionTimestamp === undefined) return;
  const known = before.metadata.finalizers ?? [];
  const added = (after.metadata.finalizers ?? []).filter((one) => !known.includes(one));
  if (added.length === 0) return;
  const message = 'no new finalizers can be added if the object is being deleted';
  const path = ['metadata', 'finalizers'];
  throw invalid(target.kind.kind, after.metadata.name, [{ reason: 'invalid', path, value: added, message }]);
}

/** Resolves with warnings. */
async function admit(
  deps: VerbDeps,
  target: ResourceTarget,
  { object, isNew }: { readonly object: Resource; readonly isNew: boolean },
): Promise<readonly Problem[]> {
  const { problems, warnings } = await deps.admission.judge(target.kind, object, { isNew });
  if (problems.length > 0) throw invalid(target.kind.kind, object.metadata.name, problems);
  return warnings;
}

function refuseOtherNamespace(target: ResourceTarget, body: unknown): void {
  const metadata = isRecord(body) ? body['metadata'] : undefined;
  const submitted = isRecord(metadata) ? metadata['namespace'] : undefined;
  const { namespace = '' } = target;
  if (typeof submitted !== 'string' || submitted === '' || submitted === namespace) return;
  throw new ApiError(
    'BadRequest',
    `the namespace of the object (${submitted}) does not match the namespace on the request (${namespace})`,
  );
}

function versionOf(value: unknown): string | undefined {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' && version !== '' ? version : undefined;
}
