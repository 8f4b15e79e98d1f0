/** Reads fields of untrusted JSON, with errors that name the path. Go's decoders take `null` for an absent field, and so does this. */
import { decodeUtf8 } from '@tinkerbell/wire';
import { OciError } from './oci-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function parseJson(bytes: Uint8Array, what: string): JsonObject {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new OciError(what, 'is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new OciError(what, `not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return objectAt(value, what);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown, field: string): JsonObject {
  if (isObject(value)) return value;
  throw new OciError(field, 'must be an object');
}

export function stringAt(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw new OciError(field, 'must be a string');
}

export function optionalString(value: unknown, field: string): string | undefined {
  return value === undefined || value === null ? undefined : stringAt(value, field);
}

/** A whole number of bytes from 0 to 2^53 - 1. */
export function sizeAt(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new OciError(field, 'must be a whole number of bytes');
}

/** An absent list is empty. */
export function listAt(value: unknown, field: string, max: number): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new OciError(field, 'must be a list');
  if (value.length > max)
    throw new OciError(field, `has ${value.length} entries; at most ${max} are allowed`);
  return value;
}

export function stringsAt(value: unknown, field: string, max: number): readonly string[] {
  return listAt(value, field, max).map((item, index) => stringAt(item, `${field}[${index}]`));
}

export function stringMapAt(value: unknown, field: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(objectAt(value, field));
  return Object.fromEntries(entries.map(([key, item]) => [key, stringAt(item, `${field}.${key}`)]));
}
