/** JSON merge patch, RFC 7386. */
import { isRecord } from '@tinkerbell/resources';
import { setField } from './set-field.ts';

const FIELDS_PER_PIECE = 100;

/** Returns the merged value, and changes neither. Yields after each object, and often within a wide one. */
export function* merged(target: unknown, patch: unknown): Generator<undefined, unknown> {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = {};
  const known = isRecord(target) ? target : {};
  let count = 0;
  for (const key of Object.keys(known)) {
    if (own(patch, key) !== null) setField(result, key, known[key]);
    if (++count % FIELDS_PER_PIECE === 0) yield undefined;
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (isRecord(value)) setField(result, key, yield* merged(own(known, key), value));
    else if (value !== null) setField(result, key, value);
    if (++count % FIELDS_PER_PIECE === 0) yield undefined;
  }
  yield undefined;
  return result;
}

function own(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
