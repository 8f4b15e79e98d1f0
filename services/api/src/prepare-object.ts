/** Sets the fields that the server owns: identity at creation, generation at every change of the spec. */
import {
  apiVersionOf,
  isDeepEqual,
  isRecord,
  kindOfObject,
  objectMeta,
  type Kind,
  type ObjectMeta,
  type Problem,
  type Resource,
} from '@tinkerbell/resources';
import type { TextReader } from '@tinkerbell/platform-contract';
import { ApiError, invalid, unknownFieldsRefused } from './api-error.ts';
import { validated } from './custom/check-schemas.ts';
import { isInProtobuf } from './protobuf-kinds.ts';
import type { WriteOptions } from './write-options.ts';

export interface ServerValues {
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly uid: string;
  /** Five characters for generateName. */
  readonly suffix: string;
}

/** A kind, the object's state before a change, and the threads that check custom resources. */
interface Expected {
  readonly kind: Kind;
  readonly before?: Resource;
  readonly texts: TextReader | undefined;
}

/**
 * Validates a submitted object; a large one in many turns of the event loop. Unknown fields are rejected with `Strict`. Otherwise
 * they are dropped, with a warning unless `Ignore`. Rejects with an ApiError.
 */
export async function checked(
  value: unknown,
  { kind, before, texts }: Expected,
  unknownFields: WriteOptions['unknownFields'],
): Promise<{ resource: Resource; warnings: readonly Problem[] }> {
  const name = nameIn(value);
  const object = objectOf(typed(value, kind), kind, name);
  const found = await validated(object, { kind, before }, texts);
  if (!found.ok) throw invalid(kind.kind, name, found.problems);
  if (unknownFields === 'Strict' && found.unknownFields.length > 0)
    throw unknownFieldsRefused(kind, name, found.unknownFields);
  return { resource: found.resource, warnings: unknownFields === 'Ignore' ? [] : found.unknownFields };
}

/** For its own kinds, Kubernetes takes the type from the path if the body has none. Custom resources must have it. */
function typed(value: unknown, kind: Kind): unknown {
  if (!isRecord(value) || !isInProtobuf(kind)) return value;
  return {
    ...value,
    apiVersion: value['apiVersion'] || apiVersionOf(kind),
    kind: value['kind'] || kind.kind,
  };
}

/** Throws an ApiError for an object of another kind. */
function objectOf(value: unknown, kind: Kind, name: string): Record<string, unknown> {
  if (isRecord(value) && value['kind'] === kind.kind && value['apiVersion'] === apiVersionOf(kind))
    return value;
  const named = kindOfObject(value);
  if ('problem' in named) throw invalid(kind.kind, name, [named.problem]);
  throw new ApiError('BadRequest', `the object is a ${named.kind.kind}, but the path is for ${kind.kind}`);
}

function nameIn(value: unknown): string {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  const name = isRecord(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

/** Limit of `generateName`, so that the name is not too long (apiserver names.SimpleNameGenerator). */
const GENERATED_PREFIX_MAX = 58;

/** Returns a new object. The server sets status and identity. */
export function newObject(
  kind: Kind,
  submitted: Resource,
  { namespace, values }: { readonly namespace: string; readonly values: ServerValues },
): Resource {
  const { name, generateName } = submitted.metadata;
  const metadata = objectMeta({
    name: name || `${(generateName ?? '').slice(0, GENERATED_PREFIX_MAX)}${values.suffix}`,
    ...(kind.scope === 'Cluster' ? {} : { namespace }),
    ...(generateName === undefined ? {} : { generateName }),
    uid: values.uid,
    creationTimestamp: values.now,
    ...(hasGeneration(kind) ? { generation: 1 } : {}),
    ...clientFields(submitted.metadata),
  });
  const { apiVersion, kind: name_ } = submitted;
  return { apiVersion, kind: name_, metadata, ...contentOf(kind, submitted) };
}

/** Returns `current` with the changes that the main resource allows: everything except identity and status. */
export function updatedObject(kind: Kind, current: Resource, submitted: Resource): Resource {
  const {
    labels: _labels,
    annotations: _annotations,
    finalizers: _finalizers,
    ownerReferences: _owners,
    generation,
    ...identity
  } = current.metadata;
  const content = contentOf(kind, submitted);
  const hasChanged = !isDeepEqual(contentOf(kind, current), content);
  const metadata: ObjectMeta = {
    ...identity,
    ...(hasGeneration(kind) ? { generation: (generation ?? 1) + (hasChanged ? 1 : 0) } : {}),
    ...clientFields(submitted.metadata),
  };
  const { status } = current;
  return {
    apiVersion: submitted.apiVersion,
    kind: current.kind,
    metadata,
    ...content,
    ...(status === undefined || kind.status === undefined ? {} : { status }),
  };
}

/** Returns `current` with the submitted status, and no other change. */
export function withStatus(current: Resource, submitted: Resource): Resource {
  return { ...current, ...(submitted.status === undefined ? {} : { status: submitted.status }) };
}

/** Returns the fields that the main resource writes beside metadata. */
function contentOf(kind: Kind, object: Resource): object {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = object;
  if (kind.status === undefined) return content;
  const { status: _status, ...rest } = content;
  return rest;
}

/** Kubernetes counts changes of a spec. Secrets and similar kinds have none. */
function hasGeneration(kind: Kind): boolean {
  return kind.spec !== undefined || kind.schema !== undefined;
}

/** Returns the metadata that clients may set, without absent fields and null. */
function clientFields({ labels, annotations, finalizers, ownerReferences }: ObjectMeta): Partial<ObjectMeta> {
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && { ownerReferences }),
  };
}
