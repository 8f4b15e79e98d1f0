/** Reads the query of write requests (meta/v1 CreateOptions, UpdateOptions, PatchOptions). */
import { ApiError } from './api-error.ts';

export interface WriteOptions {
  /** If true, does everything except the write. */
  readonly dryRun: boolean;
  /** Handling of fields that the schema does not have. */
  readonly unknownFields: 'Strict' | 'Warn' | 'Ignore';
  /** Name of the writer in managedFields. */
  readonly manager: string;
  /** Takes ownership of fields that others have applied. */
  readonly force: boolean;
}

const MANAGER_MAX = 128;

/** Throws an ApiError. `agent` is the User-Agent, the default name of the manager. */
export function writeOptions(query: URLSearchParams, agent: string | null): WriteOptions {
  const unknownFields = query.get('fieldValidation') || 'Warn';
  if (unknownFields !== 'Strict' && unknownFields !== 'Warn' && unknownFields !== 'Ignore')
    throw badOption('fieldValidation', unknownFields, 'Strict, Warn or Ignore');
  const manager = managerOf(query, agent);
  if (manager.length > MANAGER_MAX || !/^\P{C}*$/u.test(manager))
    throw badOption('fieldManager', manager, `at most ${MANAGER_MAX} printable characters`);
  const force = query.get('force') || 'false';
  if (force !== 'true' && force !== 'false') throw badOption('force', force, 'true or false');
  return { dryRun: isDryRun(query), unknownFields, manager, force: force === 'true' };
}

function managerOf(query: URLSearchParams, agent: string | null): string {
  const program = (agent ?? '').split('/')[0] ?? '';
  return query.get('fieldManager') || program.slice(0, MANAGER_MAX) || 'unknown';
}

/** Throws an ApiError. */
export function isDryRun(query: URLSearchParams): boolean {
  const wanted = query.getAll('dryRun');
  const other = wanted.find((one) => one !== 'All');
  if (other !== undefined) throw badOption('dryRun', other, 'All');
  return wanted.length > 0;
}

function badOption(field: string, value: string, right: string): ApiError {
  const message = `${field}: ${JSON.stringify(value.slice(0, 80))}: must be ${right}`;
  return new ApiError('BadRequest', message, { causes: [{ reason: 'FieldValueInvalid', message, field }] });
}
