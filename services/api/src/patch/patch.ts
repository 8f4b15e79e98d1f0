/** JSON merge patch (RFC 7386), JSON patch (RFC 6902) and, for the kinds of Kubernetes itself, strategic merge patch. */
import { isRecord, strategicMerge, type Kind } from '@tinkerbell/resources';
import { applyPatch, type Operation } from 'rfc6902';
import { ApiError } from '../api-error.ts';

/** Operations in one JSON patch. */
const OPERATIONS_LIMIT = 10_000;

/** The patched value; `target` is not changed. Throws an ApiError when the patch cannot be applied. */
export function patched(
  target: unknown,
  { body, contentType }: { readonly body: unknown; readonly contentType: string },
  kind: Kind,
): unknown {
  switch (contentType) {
    case 'application/merge-patch+json':
      return merged(target, asObject(body));
    case 'application/json-patch+json':
      return jsonPatched(target, body);
    case 'application/strategic-merge-patch+json':
      if (isOfKubernetes(kind)) return strategicMerge(target, asObject(body));
      throw unsupported(contentType);
    default:
      throw unsupported(contentType);
  }
}

/** Custom resources have no strategy, in a cluster as here. */
function isOfKubernetes({ group }: Kind): boolean {
  return group === '' || group === 'coordination.k8s.io' || group === 'apiextensions.k8s.io';
}

function unsupported(contentType: string): ApiError {
  return new ApiError(
    'UnsupportedMediaType',
    `patch type ${contentType || '(none)'} is not supported here; use application/merge-patch+json or application/json-patch+json`,
  );
}

function asObject(patch: unknown): unknown {
  if (isRecord(patch)) return patch;
  throw new ApiError('BadRequest', 'a merge patch is an object');
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const fields = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else fields.set(key, merged(fields.get(key), value));
  }
  return Object.fromEntries(fields);
}

function jsonPatched(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch) || !patch.every(isOperation)) {
    throw new ApiError('BadRequest', 'a JSON patch is a list of operations, each with op and path');
  }
  if (patch.length > OPERATIONS_LIMIT) {
    throw new ApiError(
      'RequestEntityTooLarge',
      `a JSON patch may have at most ${OPERATIONS_LIMIT} operations`,
    );
  }
  const copy: unknown = structuredClone(target);
  const fault = applyPatch(copy, patch as Operation[]).find((error) => error !== null);
  if (fault !== undefined)
    throw new ApiError(
      'Invalid',
      `the server rejected our request due to an error in our request: ${fault.message}`,
    );
  return copy;
}

const operations: readonly unknown[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

function isOperation(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { op, path, from } = value;
  const pathsAreStrings = typeof path === 'string' && (from === undefined || typeof from === 'string');
  return (
    operations.includes(op) &&
    pathsAreStrings &&
    !/(^|\/)(__proto__|constructor|prototype)(\/|$)/.test(`${path}/${String(from)}`)
  );
}
