/** What the server itself writes into an object: identity at creation, generation at every change of the spec. */
import { isDeepStrictEqual } from 'node:util';
import {
  validateResource,
  type ObjectMeta,
  type Problem,
  type Resource,
  type Kind,
} from '@tinkerbell/resources';
import { ApiError, invalid } from './api-error.ts';

export interface ServerValues {
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly uid: string;
  /** Five characters for generateName. */
  readonly suffix: string;
}

/** Checks a submitted object. Unknown fields are refused when `strict`, else told and left out. */
export function checked(
  value: unknown,
  expected: Kind,
  strict: boolean,
): { resource: Resource; warnings: readonly Problem[] } {
  const validated = validateResource(value);
  const name = nameIn(value);
  if (!validated.ok) throw invalid(expected.kind, name, validated.problems);
  if (validated.kind !== expected) {
    throw new ApiError(
      'BadRequest',
      `the object is a ${validated.kind.kind}, but the path is of ${expected.kind}`,
    );
  }
  if (strict && validated.unknownFields.length > 0)
    throw invalid(expected.kind, name, validated.unknownFields);
  return { resource: validated.resource, warnings: validated.unknownFields };
}

function nameIn(value: unknown): string {
  const metadata = (value as { metadata?: { name?: unknown } } | null)?.metadata;
  return typeof metadata?.name === 'string' ? metadata.name : '';
}

/** A new object: status is the server's to fill, and so is identity. */
export function newObject(submitted: Resource, namespace: string, values: ServerValues): Resource {
  const { labels, annotations, finalizers, ownerReferences, name, generateName } = submitted.metadata;
  const metadata: ObjectMeta = {
    name: name || `${generateName ?? ''}${values.suffix}`,
    namespace,
    ...(generateName === undefined ? {} : { generateName }),
    uid: values.uid,
    creationTimestamp: values.now,
    generation: 1,
    ...defined({ labels, annotations, finalizers, ownerReferences }),
  };
  const { apiVersion, kind, spec } = submitted;
  return { apiVersion, kind, metadata, ...(spec === undefined ? {} : { spec }) };
}

/** `current` with what the submitted object may change through the main resource: everything but identity and status. */
export function updatedObject(current: Resource, submitted: Resource): Resource {
  const { labels, annotations, finalizers, ownerReferences } = submitted.metadata;
  const {
    uid,
    name,
    namespace,
    generateName,
    creationTimestamp,
    deletionTimestamp,
    generation,
    resourceVersion,
  } = current.metadata;
  const specChanged = !isDeepStrictEqual(current.spec, submitted.spec);
  const metadata: ObjectMeta = {
    name,
    namespace,
    ...defined({ generateName, uid, creationTimestamp, deletionTimestamp, resourceVersion }),
    generation: (generation ?? 1) + (specChanged ? 1 : 0),
    ...defined({ labels, annotations, finalizers, ownerReferences }),
  };
  const { apiVersion, kind, status } = current;
  return {
    apiVersion,
    kind,
    metadata,
    ...(submitted.spec === undefined ? {} : { spec: submitted.spec }),
    ...(status === undefined ? {} : { status }),
  };
}

/** `current` with the submitted status, and nothing else. */
export function withStatus(current: Resource, submitted: Resource): Resource {
  return { ...current, ...(submitted.status === undefined ? {} : { status: submitted.status }) };
}

function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
