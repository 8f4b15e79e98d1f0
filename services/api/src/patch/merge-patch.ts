/** JSON merge patch, RFC 7386. */
import { isRecord } from '@tinkerbell/resources';
import { setField } from './set-field.ts';

const FIELDS_PER_PIECE = 250;

/** Returns the merged value, and changes neither. Yields after each object, and often within a wide one. */
export function* merged(target: unknown, patch: unknown): Generator<undefined, unknown> {
  if (!isRecord(patch)) return patch;
  const fields = new Map<string, unknown>();
  const isPause = everyNth(FIELDS_PER_PIECE);
  if (isRecord(target))
    for (const key of Object.keys(target)) {
      fields.set(key, target[key]);
      if (isPause()) yield undefined;
    }
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) fields.delete(key);
    else fields.set(key, isRecord(value) ? yield* merged(fields.get(key), value) : value);
    if (isPause()) yield undefined;
  }
  const result: Record<string, unknown> = {};
  for (const [key, value] of fields) {
    setField(result, key, value);
    if (isPause()) yield undefined;
  }
  yield undefined;
  return result;
}

function everyNth(count: number): () => boolean {
  let left = count;
  return () => {
    left -= 1;
    if (left > 0) return false;
    left = count;
    return true;
  };
}
