/** Checks the rules of Kubernetes for names, labels and annotations. */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Problem } from './problem.ts';
import { Type, type Schema } from './schema.ts';

const NAME_LIMIT = 253;
const NAMESPACE_LIMIT = 63;
/** Limits finalizers, because an object waits for each. Two or three are common. */
const FINALIZERS_MAX = 64;
/** Limits owners, because the collector visits an object once for each. */
const OWNERS_MAX = 64;
/** The limit for all annotations of one object together. */
const ANNOTATIONS_LIMIT = 256 * 1024;

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength, nullable: true }));

/**
 * The fields of metadata that clients may set besides name and maps of texts, and those that they may send
 * back unchanged (meta/v1 ObjectMeta).
 */
export const metadataSchema: Schema = Type.Object({
  generateName: text(NAME_LIMIT),
  uid: text(NAME_LIMIT),
  resourceVersion: text(NAME_LIMIT),
  finalizers: Type.Optional(
    Type.Array(Type.String({ maxLength: 2 * NAME_LIMIT }), { maxItems: FINALIZERS_MAX, nullable: true }),
  ),
  ownerReferences: Type.Optional(
    Type.Array(
      Type.Object({
        apiVersion: Type.String({ maxLength: 2 * NAME_LIMIT }),
        kind: Type.String({ maxLength: NAMESPACE_LIMIT }),
        name: Type.String({ maxLength: NAME_LIMIT }),
        uid: Type.String({ maxLength: NAME_LIMIT }),
        blockOwnerDeletion: Type.Optional(Type.Boolean()),
        controller: Type.Optional(Type.Boolean()),
      }),
      { maxItems: OWNERS_MAX, nullable: true },
    ),
  ),
});

export function metadataProblems(metadata: unknown): Problem[] {
  if (!isRecord(metadata)) return [{ reason: 'required', path: ['metadata'], message: 'is required' }];
  return [
    ...nameProblems(metadata),
    ...stringMapProblems(metadata, 'labels'),
    ...stringMapProblems(metadata, 'annotations'),
  ];
}

function nameProblems(metadata: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  const { name, generateName, namespace } = metadata;
  if (name === undefined && typeof generateName !== 'string') {
    problems.push({ reason: 'required', path: ['metadata', 'name'], message: 'is required' });
  }
  if (name !== undefined && !isDnsName(name, NAME_LIMIT)) {
    problems.push(
      nameProblem(
        'name',
        name,
        `at most ${NAME_LIMIT} characters of a-z, 0-9, "-" and ".", beginning and ending with a letter or digit`,
      ),
    );
  }
  if (
    namespace !== undefined &&
    (!isDnsName(namespace, NAMESPACE_LIMIT) || JSON.stringify(namespace).includes('.'))
  ) {
    problems.push(
      nameProblem(
        'namespace',
        namespace,
        `at most ${NAMESPACE_LIMIT} characters of a-z, 0-9 and "-", beginning and ending with a letter or digit`,
      ),
    );
  }
  return problems;
}

function nameProblem(field: string, value: unknown, rule: string): Problem {
  return { reason: 'invalid', path: ['metadata', field], value, message: `must be ${rule}` };
}

function isDnsName(value: unknown, limit: number): boolean {
  return (
    typeof value === 'string' &&
    value.length <= limit &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value)
  );
}

function stringMapProblems(metadata: Record<string, unknown>, field: 'labels' | 'annotations'): Problem[] {
  const map = metadata[field];
  if (map === undefined || map === null) return [];
  if (!isRecord(map))
    return [
      { reason: 'invalid', path: ['metadata', field], value: map, message: 'must be an object of strings' },
    ];
  const problems: Problem[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(map)) {
    const path = ['metadata', field, key];
    if (typeof value !== 'string')
      problems.push({ reason: 'invalid', path, value, message: 'must be a string; write it in quotes' });
    else if (field === 'labels' && !isLabelValue(value))
      problems.push({
        reason: 'invalid',
        path,
        value,
        message: 'must be at most 63 characters of letters, digits, "-", "_" and "."',
      });
    size += key.length + String(value).length;
  }
  if (field === 'annotations' && size > ANNOTATIONS_LIMIT) {
    problems.push({
      reason: 'invalid',
      path: ['metadata', field],
      message: `must be at most ${ANNOTATIONS_LIMIT} bytes together`,
    });
  }
  return problems;
}

function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && /^[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/.test(value));
}
