/** How an object is deleted (meta/v1 DeleteOptions), from the body and the query. */
import { isRecord } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';
import { isDryRun } from './write-options.ts';

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** What becomes of objects that it owns: they go after it, before it, or stay. */
  readonly propagation: 'Background' | 'Foreground' | 'Orphan';
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Throws an ApiError. */
export function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  if (body !== undefined && !isRecord(body))
    throw new ApiError('BadRequest', 'the body must be a DeleteOptions object');
  const { propagationPolicy, orphanDependents, preconditions, dryRun } = body ?? {};
  const wanted = propagationPolicy ?? query.get('propagationPolicy');
  const propagation = wanted ?? (orphanDependents === true ? 'Orphan' : 'Background');
  if (propagation !== 'Background' && propagation !== 'Foreground' && propagation !== 'Orphan') {
    const message = `propagationPolicy: ${JSON.stringify(propagation)}: must be Background, Foreground or Orphan`;
    throw new ApiError('BadRequest', message);
  }
  const isDry = isDryRun(query) || isDryRun(dryRunIn(dryRun));
  return { dryRun: isDry, propagation, preconditions: preconditionsOf(preconditions) };
}

function dryRunIn(value: unknown): URLSearchParams {
  const one = value === undefined || value === null ? [] : [value];
  const list: readonly unknown[] = Array.isArray(value) ? value : one;
  return new URLSearchParams(list.map((item) => ['dryRun', String(item)]));
}

function preconditionsOf(value: unknown): DeleteOptions['preconditions'] {
  const { uid, resourceVersion } = isRecord(value) ? value : {};
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  };
}
