/** Header fields for the client, from those that an upstream sent. */
import { fieldOf, type Fields } from '@tinkerbell/http2';
import { corsFields } from './cors.ts';
import { endToEnd, type HeaderFields } from './header-fields.ts';
import { blockOf, fieldsByName } from './http2-fields.ts';
import type { MiddlewareSettings } from './route-file.ts';

type Changes = Pick<MiddlewareSettings, 'headers' | 'cors'>;

/** `origin` is that of the page that sent the request. */
export function answerFields(
  fields: HeaderFields,
  { headers, cors }: Changes,
  origin?: string,
): HeaderFields {
  const kept = endToEnd(fields);
  const all = cors === undefined ? kept : { ...kept, ...corsFields(cors, origin) };
  return withHeaders(all, headers?.response);
}

/** The same as a block, with the status that is in `fields`. */
export function answerBlock(fields: Fields, changes: Changes, origin?: string): Uint8Array {
  const status = fieldOf(fields, ':status') ?? '';
  return blockOf([':status', status], answerFields(fieldsByName(fields), changes, origin));
}

export function trailersBlock(fields: Fields): Uint8Array {
  return blockOf([], endToEnd(fieldsByName(fields)));
}

/** An empty value removes a field. */
export function withHeaders(
  fields: HeaderFields,
  changes: ReadonlyMap<string, string> | undefined,
): HeaderFields {
  if (changes === undefined) return fields;
  const changed: Record<string, string | string[] | undefined> = { ...fields };
  for (const [name, value] of changes)
    if (value === '') delete changed[name];
    else changed[name] = value;
  return changed;
}
