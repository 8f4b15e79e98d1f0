/** JSON merge patch (RFC 7386), JSON patch (RFC 6902) and, for Kubernetes' own kinds, strategic merge patch. */
import { inTurns } from '@tinkerbell/platform-contract';
import {
  isRecord,
  isSmall,
  OBJECT_LIMITS,
  sizeFault,
  strategicMerge,
  type Kind,
} from '@tinkerbell/resources';
import { ApiError } from '../api-error.ts';
import { jsonPatched } from './json-patch.ts';
import { merged } from './merge-patch.ts';

/** Returns undefined for a small value. Rejects with an ApiError for one beyond the size limit of objects. */
export function refuseLarge(value: unknown): Promise<void> | undefined {
  return isSmall(value, OBJECT_LIMITS) ? undefined : refuseBeyondLimits(value);
}

async function refuseBeyondLimits(value: unknown): Promise<void> {
  const fault = await inTurns(sizeFault(value, OBJECT_LIMITS));
  if (fault !== undefined) throw new ApiError('RequestEntityTooLarge', `the object would have ${fault}`);
}

/** Returns the patched value, within the size limit of objects. Does not change `target`. Rejects with an ApiError. */
export async function patched(
  target: unknown,
  { body, contentType }: { readonly body: unknown; readonly contentType: string },
  kind: Kind,
): Promise<unknown> {
  const value = await resultOf(target, { body, contentType }, kind);
  const measured = refuseLarge(value);
  if (measured !== undefined) await measured;
  return value;
}

function resultOf(
  target: unknown,
  { body, contentType }: { readonly body: unknown; readonly contentType: string },
  kind: Kind,
): Promise<unknown> {
  switch (contentType) {
    case 'application/merge-patch+json':
      return inTurns(merged(target, asObject(body)));
    case 'application/json-patch+json':
      return inTurns(jsonPatched(target, body, OBJECT_LIMITS));
    case 'application/strategic-merge-patch+json':
      if (isOfKubernetes(kind)) return inTurns(strategicMerge(target, asObject(body)));
      throw unsupported(contentType);
    default:
      throw unsupported(contentType);
  }
}

/** Custom resources have no strategic merge patch, in a cluster as here. */
function isOfKubernetes({ group }: Kind): boolean {
  return ['', 'coordination.k8s.io', 'rbac.authorization.k8s.io', 'apiextensions.k8s.io'].includes(group);
}

function unsupported(contentType: string): ApiError {
  return new ApiError(
    'UnsupportedMediaType',
    `patch type ${contentType || '(none)'} is not supported; use application/merge-patch+json or application/json-patch+json`,
  );
}

function asObject(patch: unknown): unknown {
  if (isRecord(patch)) return patch;
  throw new ApiError('BadRequest', 'a merge patch must be an object');
}
