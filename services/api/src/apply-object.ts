/** Server-side apply: `PATCH` with application/apply-patch+yaml. */
import { inTurns } from '@tinkerbell/platform-contract';
import { isRecord, objectSchemaOf, serverSideApply, type FieldConflict } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';
import { detailsOf } from './object-errors.ts';
import type { ResourceTarget } from './request-target.ts';
import { change, createObject, type Outcome, type VerbDeps } from './resource-handlers.ts';
import { keyOf, outlivingConflicts } from './stored-object.ts';
import type { WriteOptions } from './write-options.ts';

export const APPLY_PATCH = 'application/apply-patch+yaml';

interface ApplyPatch {
  readonly body: unknown;
  readonly options: WriteOptions;
  /** True if the client names its field manager. */
  readonly hasManager: boolean;
}

/** Creates the object if it does not exist. Throws an ApiError. */
export async function applyObject(
  deps: VerbDeps,
  target: ResourceTarget,
  { body, options, hasManager }: ApplyPatch,
): Promise<Outcome> {
  if (!hasManager) throw new ApiError('BadRequest', 'fieldManager is required for apply patch');
  if (!isRecord(body) || !isRecord(body['metadata']))
    throw new ApiError('BadRequest', 'an apply patch must be an object with apiVersion, kind and metadata');
  if (body['metadata']['managedFields'] !== undefined)
    throw new ApiError('BadRequest', 'metadata.managedFields must be nil');
  const applied = { ...body, metadata: { name: target.name, ...body['metadata'] } };
  return outlivingConflicts(body['metadata']['resourceVersion'] === undefined, async () => {
    const current = await deps.store.get(keyOf(target));
    const nothing = { apiVersion: '', kind: '', metadata: {} };
    const live = current?.object ?? nothing;
    const manager = {
      name: options.manager,
      now: deps.values().now,
      ...(target.subresource === undefined ? {} : { subresource: target.subresource }),
    };
    const { force } = options;
    const application = { schema: objectSchemaOf(target.kind), applied, manager, force };
    const result = await inTurns(serverSideApply(live, application));
    if (!result.ok) throw fieldConflict(target, result.conflicts);
    const { managedFields } = result;
    if (current === undefined)
      return createObject(deps, target, { submitted: applied, options, managedFields });
    return change(deps, target, { current, submitted: result.object, options, managedFields });
  });
}

function fieldConflict(target: ResourceTarget, conflicts: readonly FieldConflict[]): ApiError {
  const causes = conflicts.map(({ manager, operation, apiVersion, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${JSON.stringify(manager)}${operation === 'Update' ? ` using ${apiVersion}` : ''}`,
    field,
  }));
  const each = causes.map(({ message, field }) => `${message}: ${field}`).join(', ');
  const count = causes.length === 1 ? '1 conflict' : `${causes.length} conflicts`;
  const message = `Apply failed with ${count}: ${each}`;
  return new ApiError('Conflict', message, { ...detailsOf(target, target.name ?? ''), causes });
}
